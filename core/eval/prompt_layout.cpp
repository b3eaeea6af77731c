#include "core/eval/prompt_layout.h"

#include <cmath>

namespace holo::eval {

namespace {

std::vector<const TextUnit*> mixed(std::span<const TextUnit> filler, std::span<const PlacedUnit> others)
{
    std::vector<const TextUnit*> body;
    std::size_t next = 0;
    for (std::size_t w = 0; w <= filler.size(); ++w) {
        for (; next < others.size() && std::size_t(others[next].place * double(filler.size() + 1)) <= w; ++next)
            body.push_back(&others[next].unit);
        if (w < filler.size())
            body.push_back(&filler[w]);
    }
    return body;
}

// The number of units after which the share of tokens is nearest to `depth`.
std::size_t gapAt(const std::vector<const TextUnit*>& body, double depth)
{
    std::int64_t total = 0;
    for (const TextUnit* const unit : body)
        total += unit->tokens;
    const double wish = depth * double(total);
    std::size_t best = 0;
    std::int64_t start = 0;
    double nearest = wish;
    for (std::size_t i = 0; i < body.size(); ++i) {
        start += body[i]->tokens;
        if (const double off = std::abs(double(start) - wish); off < nearest) {
            nearest = off;
            best = i + 1;
        }
    }
    return best;
}

}  // namespace

PromptLayout layOut(std::span<const TextUnit> filler, std::span<const PlacedUnit> others, const TextUnit* needle, double depth, const TextUnit& question)
{
    PromptLayout layout;
    const auto append = [&text = layout.text](const TextUnit& unit) {
        if (!text.empty() && !unit.joined)
            text += ' ';
        const std::size_t at = text.size();
        text += unit.text;
        return at;
    };
    const std::vector<const TextUnit*> body = mixed(filler, others);
    const std::size_t gap = gapAt(body, depth);
    for (std::size_t i = 0; i <= body.size(); ++i) {
        if (i == gap && needle)
            layout.needle = append(*needle);
        if (i < body.size()) {
            const std::size_t at = append(*body[i]);
            if (i == gap)
                layout.afterNeedle = at;
        }
    }
    layout.question = append(question);
    if (gap == body.size())
        layout.afterNeedle = layout.question;
    return layout;
}

}  // namespace holo::eval
