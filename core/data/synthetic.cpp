#include "core/data/synthetic.h"

#include "core/base/error.h"
#include "core/base/files.h"

namespace holo::data {

namespace {

// Version of the process: to be raised whenever the same numbers would give other documents.
constexpr const char* kProcess = "facts-1";

struct ToJson {
    Json json = Json::object();
    template <class T> void operator()(const config::Field& field, const T& value) { json[std::string(field.key)] = value; }
    void operator()(const config::Field& field, double value) { json[std::string(field.key)] = number(value); }
};

Json fieldsOf(config::SyntheticSpec spec)
{
    ToJson visitor;
    config::SyntheticSpec::fields(spec, visitor);
    return visitor.json;
}

}  // namespace

SyntheticCorpus::SyntheticCorpus(const config::SyntheticSpec& spec, std::int64_t context)
    : m_generator(spec)
    , m_context(context)
{
    Json identity = fieldsOf(spec);
    identity.erase("distractors");  // of prompts, not of documents
    m_hash = sha256(std::string(kProcess) + dumpLine(identity));
}

Json SyntheticCorpus::describe() const
{
    const config::SyntheticSpec& spec = m_generator.spec();
    return Json{{"source", "synthetic"}, {"process", kProcess}, {"tokenizer", "words"}, {"vocab", vocabulary()}, {"hash", m_hash},
                {"documents", Json{{"train", spec.documents}, {"val", spec.valDocuments}}},
                {"tokens", Json{{"train", spec.documents * m_context}, {"val", spec.valDocuments * m_context}}},
                {"spec", fieldsOf(spec)}, {"notes", Json::array()}};
}

std::int64_t SyntheticCorpus::windows(Split split, std::int64_t length) const
{
    if (length < 1)
        throw Error::at(ErrorKind::Usage, {.field = "length", .found = std::to_string(length), .allowed = "1 or more"});
    return split == Split::Train ? m_generator.spec().documents : m_generator.spec().valDocuments;
}

Window SyntheticCorpus::window(Split split, std::int64_t length, std::int64_t index) const
{
    if (index < 0 || index >= windows(split, length))
        throw Error::at(ErrorKind::Usage, {.field = "window", .found = std::to_string(index), .allowed = "0 to " + std::to_string(windows(split, length) - 1)});
    const std::vector<std::int32_t> tokens = m_generator.document(split, index, length + 1);
    return {{tokens.begin(), tokens.end() - 1}, {tokens.begin() + 1, tokens.end()}, length};
}

std::string SyntheticCorpus::decode(std::span<const std::int32_t> tokens) const
{
    std::string text;
    for (const std::int32_t token : tokens) {
        if (!text.empty())
            text += ' ';
        text += m_generator.vocabulary().text(token);
    }
    return text;
}

std::vector<std::int32_t> SyntheticCorpus::encode(const std::string& text) const
{
    std::vector<std::int32_t> tokens;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
        if (begin == std::string::npos)
            break;
        const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        const auto token = m_generator.vocabulary().parse(word);
        if (!token)
            throw Error::at(ErrorKind::Usage, {.field = "word", .found = "\"" + word + "\"",
                                               .allowed = "BOS, REC, nameK, valueK, unitK, detK, adjK, nounK, verbK of the synthetic corpus"});
        tokens.push_back(*token);
        at = end;
    }
    return tokens;
}

}  // namespace holo::data
