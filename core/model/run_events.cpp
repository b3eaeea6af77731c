#include "core/model/run_events.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/json.h"

namespace holo::model {

namespace {

double numberAt(const Json& object, const char* key)
{
    const auto it = object.find(key);
    if (it == object.end())
        return kMissing;
    try {
        return toDouble(*it, key);
    } catch (const Error&) {
        return kMissing;
    }
}

std::int64_t integerAt(const Json& object, const char* key, std::int64_t fallback)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_number() ? it->get<std::int64_t>() : fallback;
}

std::string textAt(const Json& object, const char* key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

EventType typeOf(const std::string& name)
{
    if (name == "step")
        return EventType::Step;
    if (name == "eval")
        return EventType::Eval;
    if (name == "checkpoint")
        return EventType::Checkpoint;
    if (name == "note")
        return EventType::Note;
    return name == "start" || name == "attempt" ? EventType::Start : EventType::Other;
}

}  // namespace

std::optional<Event> parseEvent(std::string_view line)
{
    const Json object = Json::parse(line, nullptr, false);
    if (!object.is_object())
        return std::nullopt;
    Event event;
    event.type = typeOf(textAt(object, "type"));
    StepRecord& s = event.step;
    s.attempt = static_cast<int>(integerAt(object, "attempt", 1));
    s.step = integerAt(object, "step", 0);
    s.tokens = integerAt(object, "tokens", 0);
    s.t = numberAt(object, "t");
    s.active = numberAt(object, "active");
    s.loss = numberAt(object, "loss");
    s.gradNorm = numberAt(object, "grad_norm");
    s.lr = numberAt(object, "lr");
    s.tokensPerSecond = numberAt(object, "tok_s");
    event.valLoss = numberAt(object, "val_loss");
    for (const char* key : {"text", "message", "id", "eval", "folder", "name"}) {
        event.text = textAt(object, key);
        if (!event.text.empty())
            break;
    }
    return event;
}

Branches branches(const std::vector<StepRecord>& steps)
{
    Branches result;
    // An attempt begins where its first line says; everything older from that step on was given up.
    for (const StepRecord& s : steps) {
        if (!result.live.empty() && s.attempt != result.live.back().attempt) {
            const auto from = std::lower_bound(result.live.begin(), result.live.end(), s.step,
                [](const StepRecord& a, std::int64_t step) { return a.step < step; });
            result.orphans.insert(result.orphans.end(), from, result.live.end());
            result.live.erase(from, result.live.end());
        }
        if (result.live.empty() || result.live.back().step < s.step)
            result.live.push_back(s);
        else if (result.live.back().step == s.step)
            result.live.back() = s;
    }
    return result;
}

}  // namespace holo::model
