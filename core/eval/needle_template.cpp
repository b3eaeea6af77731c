#include "core/eval/needle_template.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/data/corpus.h"

namespace holo::eval {

namespace {

constexpr std::int64_t kMostTrials = 1'000'000;  // EvalSpec::trials

}  // namespace

const std::vector<std::string>& needleKeyWords()
{
    static const std::vector<std::string> words{
        "amber",  "azure",  "basil",  "birch",  "bison",  "blaze",  "bronze", "cedar",  "chalk",  "cliff",  "clover", "cobalt", "comet",
        "copper", "coral",  "cosmos", "crater", "crimson", "crystal", "delta", "ebony",  "ember",  "falcon", "fern",   "flint",  "frost",
        "garnet", "ginger", "glacier", "granite", "harbor", "hazel", "heron",  "indigo", "iris",   "island", "ivory",  "jasper", "juniper",
        "lagoon", "lark",   "laurel", "lemon",  "lichen", "lilac",  "linen",  "lotus",  "lunar",  "maple",  "marble", "meadow", "mango",
        "mesa",   "mist",   "moss",   "nectar", "nickel", "oasis",  "ocean",  "olive",  "onyx",   "opal",   "orbit",  "orchid", "osprey",
        "otter",  "pearl",  "pepper", "pine",   "plum",   "polar",  "poppy",  "prairie", "quartz", "quill",  "raven",  "reef",   "ruby",
        "saffron", "sage",  "salmon", "sandal", "sienna", "silver", "slate",  "solar",  "spruce", "sterling", "stone", "summit", "sunset",
        "teal",   "thistle", "thunder", "tidal", "tiger", "topaz",  "tulip",  "tundra", "turquoise", "umber", "valley", "velvet", "violet",
        "walnut", "willow", "winter", "zephyr"};
    return words;
}

namespace {

void checkPlaces(const std::string& text, const std::string& source, const std::string& field, bool withKey)
{
    const auto times = [&text](std::string_view place) {
        int n = 0;
        for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + 1))
            ++n;
        return n;
    };
    if (times("{noun}") < 1)
        throw Error::at(ErrorKind::Usage, {source, field, "\"" + text + "\"", "wording with {noun}"});
    if (times("{key}") != (withKey ? 1 : 0))
        throw Error::at(ErrorKind::Usage, {source, field, "\"" + text + "\"", withKey ? "wording with {key} once" : "wording without {key}, which is the answer"});
}

void checkKeys(const Json& json, const std::string& source, const std::string& prefix, const std::vector<std::string>& known)
{
    if (!json.is_object())
        throw Error::at(ErrorKind::Usage, {source, prefix.empty() ? "template" : prefix, json.type_name(), "an object"});
    for (const auto& item : json.items())
        if (std::find(known.begin(), known.end(), item.key()) == known.end())
            throw Error(ErrorKind::Usage, source + ": unknown key " + prefix + item.key() + "; " + suggestion(item.key(), known), {source, prefix + item.key(), "unknown", join(known, ", ")});
}

std::string textAt(const Json& json, const char* key, const std::string& source, const std::string& otherwise)
{
    if (!json.contains(key))
        return otherwise;
    if (!json[key].is_string())
        throw Error::at(ErrorKind::Usage, {source, key, dumpLine(json[key]), "text"});
    return json[key].get<std::string>();
}

std::string wordAt(const Json& json, const char* key, const std::string& source, const std::string& otherwise, const std::vector<std::string>& known)
{
    const std::string word = textAt(json, key, source, otherwise);
    if (std::find(known.begin(), known.end(), word) == known.end())
        throw Error::at(ErrorKind::Usage, {source, key, "\"" + word + "\"", join(known, ", ")});
    return word;
}

int intAt(const Json& json, const char* key, const std::string& source, int otherwise, int lowest, int highest)
{
    if (!json.contains(key))
        return otherwise;
    const Json& value = json[key];
    if (!value.is_number_integer() || value.get<double>() < lowest || value.get<double>() > highest)
        throw Error::at(ErrorKind::Usage, {source, key, dumpLine(value), std::to_string(lowest) + " to " + std::to_string(highest)});
    return value.get<int>();
}

}  // namespace

bool NeedleTemplate::blankBeforeKey() const
{
    const std::size_t at = needle.find("{key}");
    return at != std::string::npos && at > 0 && needle[at - 1] == ' ';
}

NeedleTemplate readNeedleTemplate(const std::filesystem::path& file)
{
    const std::string source = file.string();
    const Json json = readJsonFile(file);
    checkKeys(json, source, "", {"needle", "question", "key", "distractors", "values", "queries", "spread", "haystack"});
    NeedleTemplate wording;
    wording.needle = std::string(trimmed(textAt(json, "needle", source, wording.needle)));
    wording.question = std::string(trimmed(textAt(json, "question", source, wording.question)));
    checkPlaces(wording.needle, source, "needle", true);
    checkPlaces(wording.question, source, "question", false);
    wording.distractors = intAt(json, "distractors", source, 0, 0, int(needleNouns().size()) - 17);
    wording.values = intAt(json, "values", source, 1, 1, 16);
    wording.queries = intAt(json, "queries", source, 1, 1, 16);
    if (wording.values > 1 && wording.queries > 1)
        throw Error::at(ErrorKind::Usage, {source, "queries", std::to_string(wording.queries), "1 beside values " + std::to_string(wording.values)});
    wording.spread = wordAt(json, "spread", source, wording.spread, {"random", "even"});
    if (json.contains("haystack") && json["haystack"].is_object()) {
        checkKeys(json["haystack"], source, "haystack.", {"file"});
        wording.file = (file.parent_path() / textAt(json["haystack"], "file", source, "")).lexically_normal();
        if (!std::filesystem::is_regular_file(wording.file))
            throw Error::at(ErrorKind::Malformed, {source, "haystack.file", wording.file.string(), "a text file"});
    } else {
        wording.haystack = wordAt(json, "haystack", source, wording.haystack, {"text", "noise", "needles"});
    }
    if (json.contains("key")) {
        const Json& key = json["key"];
        checkKeys(key, source, "key.", {"kind", "length"});
        wording.keyKind = textAt(key, "kind", source, wording.keyKind);
        const std::vector<std::string> kinds{"digits", "words", "uuid"};
        if (std::find(kinds.begin(), kinds.end(), wording.keyKind) == kinds.end())
            throw Error::at(ErrorKind::Usage, {source, "key.kind", "\"" + wording.keyKind + "\"", join(kinds, ", ")});
        const bool words = wording.keyKind == "words";
        wording.keyLength = intAt(key, "length", source, words ? 2 : 5, 1, words ? 8 : 18);
    }
    return wording;
}

Json toJson(const NeedleTemplate& wording)
{
    return Json{{"needle", wording.needle}, {"question", wording.question}, {"key", Json{{"kind", wording.keyKind}, {"length", wording.keyLength}}},
                {"distractors", wording.distractors}, {"values", wording.values}, {"queries", wording.queries}, {"spread", wording.spread},
                {"haystack", wording.file.empty() ? Json(wording.haystack) : Json{{"file", wording.file.filename().string()}}}};
}

std::string filled(std::string_view wording, const std::string& noun, const std::string& key)
{
    std::string text;
    for (std::size_t at = 0; at < wording.size();) {
        if (wording.substr(at).starts_with("{noun}")) {
            text += noun;
            at += 6;
        } else if (wording.substr(at).starts_with("{key}")) {
            text += key;
            at += 5;
        } else {
            text += wording[at++];
        }
    }
    return text;
}

KeySource::KeySource(std::string kind, int length)
    : m_kind(std::move(kind))
    , m_length(length)
{
}

double KeySource::count() const
{
    if (m_kind == "uuid")
        return 0x1p122;
    return m_kind == "words" ? std::pow(double(needleKeyWords().size()), m_length) : 9 * std::pow(10.0, m_length - 1);
}

std::string KeySource::key(std::uint64_t cell, std::int64_t trial, int draw) const
{
    if (m_kind == "uuid") {
        RandomStream random(cell, "key", {std::uint64_t(trial), std::uint64_t(draw)});
        const char* digits = "0123456789abcdef";
        std::string text;
        for (int i = 0; i < 32; ++i) {
            if (i == 8 || i == 12 || i == 16 || i == 20)
                text += '-';
            text += i == 12 ? '4' : digits[i == 16 ? 8 + random.below(4) : random.below(16)];
        }
        return text;
    }
    const std::int64_t keys = count() < 4e18 ? std::int64_t(count()) : 4'000'000'000'000'000'000;
    const std::int64_t position = (trial + std::int64_t(draw) * kMostTrials) % keys;
    std::int64_t index = data::Sampler(keys, cell).at(position);
    if (m_kind == "digits")
        return std::to_string(index + keys / 9);
    std::vector<std::string> parts;
    for (int i = 0; i < m_length; ++i) {
        parts.push_back(needleKeyWords()[std::size_t(index % std::int64_t(needleKeyWords().size()))]);
        index /= std::int64_t(needleKeyWords().size());
    }
    return join(parts, "-");
}

const std::vector<std::string>& needleNouns()
{
    static const std::vector<std::string> nouns{
        "anchor",  "apple",   "badge",  "barrel",  "basket",  "beacon",  "bicycle", "blanket", "bottle",  "bridge",  "bucket", "button",
        "cabinet", "camera",  "candle", "carpet",  "castle",  "chair",   "clock",   "compass", "cottage", "curtain", "desk",   "door",
        "drawer",  "drum",    "engine", "envelope", "feather", "fence",  "flag",    "flute",   "fountain", "garage", "garden", "gate",
        "glove",   "guitar",  "hammer", "helmet",  "jacket",  "kettle",  "kitchen", "ladder",  "lantern", "letter",  "library", "locker",
        "magnet",  "mailbox", "mirror", "monument", "museum", "needle",  "notebook", "office", "paddle",  "parcel",  "pencil", "piano",
        "pillow",  "rocket",  "saddle", "scooter", "shovel",  "statue",  "suitcase", "table",  "teapot",  "ticket",  "tractor", "trumpet",
        "tunnel",  "umbrella", "vault", "violin",  "wagon",   "wallet",  "wheel",   "window"};
    return nouns;
}

}  // namespace holo::eval
