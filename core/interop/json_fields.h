#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace holo::interop {

// Two settings of one file that contradict each other. place().field names both, joined by ", ", and place().found holds their values.
class Contradiction : public Error {
public:
    Contradiction(const std::string& source, const std::string& field, const std::string& value, const std::string& otherField, const std::string& otherValue, const std::string& allowed);
};

// Typed access to one object of a foreign JSON file. Remembers which keys were asked for, so that the others can be noted.
// `null` counts as absent. Throws Error (malformed) that names file, field path, value found and value allowed.
class JsonFields {
public:
    JsonFields(const Json& object, std::string source, std::string path = {});

    bool has(const std::string& key) const;  // there and not null
    std::optional<std::int64_t> integer(const std::string& key, std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max());
    std::optional<double> number(const std::string& key, double least, double most = std::numeric_limits<double>::max(), bool exclusive = false);
    std::optional<bool> flag(const std::string& key);
    std::optional<std::string> text(const std::string& key);
    std::optional<std::vector<double>> numbers(const std::string& key);  // each finite and > 0
    std::optional<JsonFields> object(const std::string& key);

    std::int64_t requiredInteger(const std::string& key, std::int64_t least, std::int64_t most);
    const Json* raw(const std::string& key);  // null if absent
    void ignore(const std::vector<std::string>& keys);

    std::string fieldName(const std::string& key) const { return m_path.empty() ? key : m_path + "." + key; }
    const std::string& source() const { return m_source; }
    std::vector<std::string> unknownKeys() const;  // not asked for and not ignored

    [[noreturn]] void fail(const std::string& key, const std::string& found, const std::string& allowed) const;

private:
    const Json* m_object;
    std::string m_source;
    std::string m_path;
    std::set<std::string> m_known;
};

}  // namespace holo::interop
