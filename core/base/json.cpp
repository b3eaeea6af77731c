#include "core/base/json.h"

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"

namespace holo {

namespace {

// Builds the document through nlohmann's DOM callback while enforcing what that parser leaves open:
// a depth limit and unique keys.
class StrictSax : public nlohmann::detail::json_sax_dom_parser<Json> {
    using Base = nlohmann::detail::json_sax_dom_parser<Json>;

public:
    StrictSax(Json& root, const std::string& source, int maxDepth)
        : Base(root, true)
        , m_source(source)
        , m_maxDepth(maxDepth)
    {
    }

    bool start_object(std::size_t elements)
    {
        enter();
        m_keys.emplace_back();
        return Base::start_object(elements);
    }
    bool end_object()
    {
        --m_depth;
        m_keys.pop_back();
        return Base::end_object();
    }
    bool start_array(std::size_t elements)
    {
        enter();
        return Base::start_array(elements);
    }
    bool end_array()
    {
        --m_depth;
        return Base::end_array();
    }
    bool key(std::string& name)
    {
        if (!m_keys.back().insert(name).second)
            throw Error(ErrorKind::Malformed, m_source + ": the key \"" + name + "\" stands twice in one object.",
                        {m_source, name, "twice", "once"});
        return Base::key(name);
    }

private:
    void enter()
    {
        if (++m_depth > m_maxDepth)
            throw Error(ErrorKind::Malformed,
                        m_source + ": nested deeper than " + std::to_string(m_maxDepth) + " levels.",
                        {m_source, "", "deeper nesting", std::to_string(m_maxDepth) + " levels"});
    }

    const std::string& m_source;
    int m_maxDepth;
    int m_depth = 0;
    std::vector<std::set<std::string>> m_keys;
};

}  // namespace

Json parseJson(std::string_view text, const std::string& source, JsonLimits limits)
{
    if (text.size() > limits.bytes)
        throw Error(ErrorKind::Malformed, source + ": " + std::to_string(text.size()) + " bytes of JSON, allowed are " + std::to_string(limits.bytes) + ".",
                    {source, "size", std::to_string(text.size()), std::to_string(limits.bytes)});
    Json root;
    StrictSax sax(root, source, limits.depth);
    try {
        Json::sax_parse(text, &sax);
    } catch (const Json::exception& e) {
        const auto* parse = dynamic_cast<const Json::parse_error*>(&e);
        const std::string where = parse ? " at byte " + std::to_string(parse->byte) : std::string();
        throw Error(ErrorKind::Malformed, source + ": not valid JSON" + where + ".", {source, "", "broken JSON" + where, "JSON (UTF-8)"});
    }
    return root;
}

Json readJsonFile(const std::filesystem::path& file, JsonLimits limits)
{
    return parseJson(readFile(file, limits.bytes), file.string(), limits);
}

Json number(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    return value;
}

double toDouble(const Json& value, const std::string& field)
{
    if (value.is_number())
        return value.get<double>();
    if (value == "nan")
        return std::numeric_limits<double>::quiet_NaN();
    if (value == "inf")
        return std::numeric_limits<double>::infinity();
    if (value == "-inf")
        return -std::numeric_limits<double>::infinity();
    throw Error::at(ErrorKind::Malformed, {"", field, value.dump(-1, ' ', false, Json::error_handler_t::replace), "a number"});
}

std::string dumpLine(const Json& value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string dumpPretty(const Json& value)
{
    return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace holo
