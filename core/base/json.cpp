#include "core/base/json.h"

#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"

namespace holo {

namespace {

// Builds the document itself, since nlohmann's builder looks every new key up among its elders, which takes minutes for an object of a million
// keys, and since it leaves depth and repeated keys open.
class StrictSax {
public:
    StrictSax(Json& root, const std::string& source, int maxDepth)
        : m_root(root)
        , m_source(source)
        , m_maxDepth(maxDepth)
    {
    }

    bool null() { return place(Json(nullptr)); }
    bool boolean(bool value) { return place(Json(value)); }
    bool number_integer(std::int64_t value) { return place(Json(value)); }
    bool number_unsigned(std::uint64_t value) { return place(Json(value)); }
    bool number_float(double value, const std::string&) { return place(Json(value)); }
    bool string(std::string& value) { return place(Json(std::move(value))); }
    bool binary(Json::binary_t& value) { return place(Json(std::move(value))); }

    bool start_object(std::size_t) { return enter(Json::object()); }
    bool end_object() { return leave(); }
    bool start_array(std::size_t) { return enter(Json::array()); }
    bool end_array() { return leave(); }

    bool key(std::string& name)
    {
        if (!m_open.back().keys.insert(name).second)
            throw Error(ErrorKind::Malformed, m_source + ": the key \"" + name + "\" stands twice in one object.",
                        {m_source, name, "twice", "once"});
        members().emplace_back(std::move(name), Json());
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const Json::exception&)
    {
        const std::string where = "broken JSON at byte " + std::to_string(position);
        throw Error(ErrorKind::Malformed, m_source + ": not valid JSON at byte " + std::to_string(position) + ".", {m_source, "", where, "JSON (UTF-8)"});
    }

private:
    struct Open {
        Json* value;
        std::unordered_set<std::string> keys;
    };

    std::vector<Json::object_t::value_type>& members() { return m_open.back().value->get_ref<Json::object_t&>(); }

    bool place(Json value)
    {
        slot(std::move(value));
        return true;
    }

    Json& slot(Json value)
    {
        if (m_open.empty())
            return m_root = std::move(value);
        Json& parent = *m_open.back().value;
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return parent.back();
        }
        return members().back().second = std::move(value);
    }

    bool enter(Json value)
    {
        if (int(m_open.size()) == m_maxDepth)
            throw Error(ErrorKind::Malformed,
                        m_source + ": nested deeper than " + std::to_string(m_maxDepth) + " levels.",
                        {m_source, "", "deeper nesting", std::to_string(m_maxDepth) + " levels"});
        m_open.push_back({&slot(std::move(value)), {}});
        return true;
    }

    bool leave()
    {
        m_open.pop_back();
        return true;
    }

    Json& m_root;
    const std::string& m_source;
    int m_maxDepth;
    std::vector<Open> m_open;
};

}  // namespace

Json parseJson(std::string_view text, const std::string& source, JsonLimits limits)
{
    if (text.size() > limits.bytes)
        throw Error(ErrorKind::Malformed, source + ": " + std::to_string(text.size()) + " bytes of JSON, allowed are " + std::to_string(limits.bytes) + ".",
                    {source, "size", std::to_string(text.size()), std::to_string(limits.bytes)});
    // The parser would take a NUL for the end of its input and never see what follows.
    if (const auto nul = text.find('\0'); nul != std::string_view::npos)
        throw Error(ErrorKind::Malformed, source + ": not valid JSON at byte " + std::to_string(nul) + ", a NUL.", {source, "", "a NUL at byte " + std::to_string(nul), "JSON (UTF-8)"});
    Json root;
    StrictSax sax(root, source, limits.depth);
    Json::sax_parse(text, &sax);
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
