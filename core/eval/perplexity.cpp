#include "core/eval/perplexity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/synthetic.h"
#include "core/eval/result_files.h"

namespace holo::eval {

namespace {

using Request = LanguageModel::Request;

constexpr std::int64_t kTokensOfACall = 1 << 15;

// `length` inputs and their targets as one run of tokens; the part after a short document is left out.
std::vector<std::int32_t> stretch(const data::Corpus& corpus, std::int64_t length, std::int64_t index)
{
    const data::Window window = corpus.window(data::Split::Validation, length, index);
    std::vector<std::int32_t> tokens(window.inputs.begin(), window.inputs.begin() + std::min<std::ptrdiff_t>(1, std::ptrdiff_t(window.inputs.size())));
    for (const std::int32_t target : window.targets) {
        if (target == data::kIgnore)
            break;
        tokens.push_back(target);
    }
    return tokens;
}

// What is to be scored at one length, piece by piece.
class Source {
public:
    Source(const data::Corpus& corpus, const Options& options, std::int64_t length, std::int64_t longest, std::int64_t shortest, std::int64_t context)
        : m_corpus(corpus)
        , m_mode(options.perplexityMode)
        , m_length(length)
        , m_whole(m_mode == "tail" ? longest : m_mode == "sliding" ? std::max(longest, context) : length)
        , m_stride(options.stride > 0 ? options.stride : std::max<std::int64_t>(1, shortest / 8))
    {
        if (m_mode == "tail" && m_stride > shortest)
            throw Error::at(ErrorKind::Usage, {.field = "stride", .found = std::to_string(m_stride), .allowed = "1 to " + std::to_string(shortest) + ", the shortest length"});
        m_windows = corpus.windows(data::Split::Validation, m_whole);
    }

    std::int64_t stride() const { return m_stride; }

    std::optional<Request> next()
    {
        while (m_window < m_windows || !m_documents.empty()) {
            std::optional<Request> request;
            if (m_mode == "truncated")
                request = nextDocument();
            else if (m_mode == "sliding")
                request = nextSliding();
            else
                request = nextBlock();
            if (request && request->end > request->begin)
                return request;
        }
        return std::nullopt;
    }

private:
    std::optional<Request> nextBlock()
    {
        std::vector<std::int32_t> tokens = stretch(m_corpus, m_whole, m_window++);
        const std::int64_t n = std::int64_t(tokens.size());
        if (m_mode == "blocks")
            return Request{std::move(tokens), 1, n, {}, false};
        if (n != m_whole + 1)
            return std::nullopt;  // a document shorter than the longest length has no tail
        tokens.erase(tokens.begin(), tokens.begin() + (n - m_length - 1));
        return Request{std::move(tokens), m_length + 1 - m_stride, m_length + 1, {}, false};
    }

    std::optional<Request> nextSliding()
    {
        if (m_end == 0)
            m_tokens = stretch(m_corpus, m_whole, m_window);
        const std::int64_t inputs = std::int64_t(m_tokens.size()) - 1;
        const std::int64_t end = std::min(inputs, m_end == 0 ? m_length : m_end + m_stride);
        const std::int64_t first = std::max<std::int64_t>(0, end - m_length);
        Request request{{m_tokens.begin() + first, m_tokens.begin() + end + 1}, std::max<std::int64_t>(m_end + 1 - first, 1), end + 1 - first, {}, false};
        m_end = end;
        if (m_end >= inputs) {
            m_end = 0;
            ++m_window;
        }
        return request;
    }

    std::optional<Request> nextDocument()
    {
        if (m_documents.empty()) {
            const std::int32_t separator = m_corpus.endOfDocument();
            for (const std::int32_t token : stretch(m_corpus, m_length, m_window++)) {
                if (token != separator || separator < 0) {
                    if (std::int64_t(m_open.size()) <= m_length + 1)
                        m_open.push_back(token);
                    continue;
                }
                m_documents.push_back(std::move(m_open));
                m_open.clear();
            }
            if (separator < 0 || m_window == m_windows) {
                m_documents.push_back(std::move(m_open));
                m_open.clear();
            } else if (!m_open.empty() && std::int64_t(m_open.size()) <= m_length + 1) {
                m_open.pop_back();  // the last target is the first input of the next window
            }
            std::reverse(m_documents.begin(), m_documents.end());
        }
        if (m_documents.empty())
            return std::nullopt;
        std::vector<std::int32_t> tokens = std::move(m_documents.back());
        m_documents.pop_back();
        tokens.resize(std::size_t(std::min<std::int64_t>(std::int64_t(tokens.size()), m_length + 1)));
        const std::int64_t n = std::int64_t(tokens.size());
        return Request{std::move(tokens), 1, n, {}, false};
    }

    const data::Corpus& m_corpus;
    std::string m_mode;
    std::int64_t m_length;
    std::int64_t m_whole;
    std::int64_t m_stride;
    std::int64_t m_windows = 0;
    std::int64_t m_window = 0;
    std::vector<std::int32_t> m_tokens;                 // sliding: the stretch in hand
    std::int64_t m_end = 0;                             // sliding: targets of it scored so far
    std::vector<std::int32_t> m_open;                   // truncated: a document not yet ended
    std::vector<std::vector<std::int32_t>> m_documents;  // truncated: ended ones, in reverse
};

struct Sum {
    double nll = 0;
    std::int64_t tokens = 0;
};

struct LengthResult {
    Sum all;
    double process = 0;  // of the synthetic process itself on the same tokens
    std::vector<Sum> byPosition;
};

LengthResult scoreLength(LanguageModel& model, const data::Corpus& corpus, const Options& options, Source source, const std::function<void(double)>& progress)
{
    const auto* facts = dynamic_cast<const data::SyntheticCorpus*>(&corpus);
    const std::int64_t budget = options.spec.perplexityTokens;
    LengthResult result;
    std::vector<Request> requests;
    std::int64_t planned = 0;
    std::int64_t pendingTokens = 0;
    const auto flush = [&] {
        const auto scored = model.score(requests);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const std::vector<double> process = facts && options.perplexityMode == "blocks" ? facts->generator().logProbabilities(requests[i].tokens) : std::vector<double>{};
            for (std::int64_t t = requests[i].begin; t < requests[i].end; ++t) {
                const double nll = -scored[i][std::size_t(t - requests[i].begin)].logProbability;
                result.all.nll += nll;
                ++result.all.tokens;
                const auto bucket = std::size_t(std::bit_width(std::uint64_t(t)) - 1);
                if (bucket >= result.byPosition.size())
                    result.byPosition.resize(bucket + 1);
                result.byPosition[bucket].nll += nll;
                ++result.byPosition[bucket].tokens;
                if (!process.empty())
                    result.process -= process[std::size_t(t)];
            }
        }
        requests.clear();
        pendingTokens = 0;
        progress(double(planned) / double(budget));
    };
    while (planned < budget) {
        std::optional<Request> request = source.next();
        if (!request)
            break;
        request->end = std::min(request->end, request->begin + budget - planned);
        planned += request->end - request->begin;
        pendingTokens += std::int64_t(request->tokens.size());
        requests.push_back(*std::move(request));
        if (pendingTokens >= kTokensOfACall)
            flush();
    }
    if (!requests.empty())
        flush();
    return result;
}

}  // namespace

Json perplexity(LanguageModel& model, const data::Corpus& corpus, const Options& options)
{
    const std::vector<std::string> modes(std::begin(kPerplexityModes), std::end(kPerplexityModes));
    if (std::find(modes.begin(), modes.end(), options.perplexityMode) == modes.end())
        throw Error::at(ErrorKind::Usage, {.field = "mode", .found = "\"" + options.perplexityMode + "\"", .allowed = join(modes, ", ")});
    const std::vector<std::int64_t>& lengths = options.spec.lengths;
    if (lengths.empty())
        throw Error::at(ErrorKind::Usage, {.field = "eval.lengths", .found = "none", .allowed = "at least one"});
    const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());

    Json json = documentHead("perplexity", corpus, options);
    json["mode"] = options.perplexityMode;
    json["rule"] = "exp(sum of nll / scored tokens); the first token of a window is not scored";
    json["training_context"] = model.context();
    Json rows = Json::array();
    Json byPosition = Json::array();
    std::int64_t longestRun = 0;
    std::int64_t notRun = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const std::int64_t length = lengths[i];
        const Source source(corpus, options, length, *longest, *shortest, model.context());
        if (options.perplexityMode == "sliding" || options.perplexityMode == "tail")
            json["stride"] = source.stride();
        const LengthResult result = scoreLength(model, corpus, options, source, [&](double done) { report(options, (double(i) + std::min(done, 1.0)) / double(lengths.size())); });
        const bool ran = result.all.tokens > 0;
        const double mean = ran ? result.all.nll / double(result.all.tokens) : 0;
        Json row{{"length", length}, {"tokens", result.all.tokens}, {"nll", ran ? number(mean) : Json(nullptr)}, {"ppl", ran ? number(std::exp(mean)) : Json(nullptr)},
                 {"outside_training", length > model.context()}};
        if (ran && corpus.isSynthetic() && options.perplexityMode == "blocks")
            row["process_nll"] = number(result.process / double(result.all.tokens));
        if (!ran) {
            row["not_run"] = "the validation part holds no window of this length";
            ++notRun;
        }
        rows.push_back(std::move(row));
        if (ran && length > longestRun) {
            longestRun = length;
            byPosition = Json::array();
            for (std::size_t k = 0; k < result.byPosition.size(); ++k) {
                const Sum& sum = result.byPosition[k];
                if (sum.tokens > 0)
                    byPosition.push_back(Json{{"lo", std::int64_t(1) << k}, {"hi", std::int64_t(2) << k}, {"nll", number(sum.nll / double(sum.tokens))}, {"tokens", sum.tokens}});
            }
        }
    }
    if (longestRun == 0)
        throw Error::at(ErrorKind::Usage, {.field = "eval.lengths", .found = std::to_string(*shortest) + " to " + std::to_string(*longest),
                                           .allowed = "lengths of which the validation part holds a window"});
    json["rows"] = std::move(rows);
    json["by_position"] = std::move(byPosition);
    json["cells_not_run"] = notRun;
    writeResult(json, "", options);
    return json;
}

}  // namespace holo::eval
