#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "core/base/json.h"
#include "core/config/describe.h"

// The visitors over the field lists of specs.h: reading, writing, checking. What they do with one value lies in field_values.cpp.
namespace holo::config::detail {

// Reads, or reports into `problems` and leaves the member as it was.
void readValue(const Json& json, const Field& field, const std::string& path, bool& member, std::vector<Problem>& problems);
void readValue(const Json& json, const Field& field, const std::string& path, int& member, std::vector<Problem>& problems);
void readValue(const Json& json, const Field& field, const std::string& path, std::int64_t& member, std::vector<Problem>& problems);
void readValue(const Json& json, const Field& field, const std::string& path, double& member, std::vector<Problem>& problems);
void readValue(const Json& json, const Field& field, const std::string& path, std::string& member, std::vector<Problem>& problems);
void readValue(const Json& json, const Field& field, const std::string& path, std::vector<std::string>& member, std::vector<Problem>& problems);
void readValue(const Json& json, const Field& field, const std::string& path, std::vector<std::int64_t>& member, std::vector<Problem>& problems);
void readValue(const Json& json, const Field& field, const std::string& path, std::vector<double>& member, std::vector<Problem>& problems);

Json writeValue(const Field& field, const std::vector<std::string>& member);
Json writeValue(const Field& field, double member);
Json writeValue(const Field& field, const std::vector<double>& member);
template <class T>
Json writeValue(const Field&, const T& member)
{
    return Json(member);
}

template <class T>
inline constexpr FieldType kFieldType = FieldType::Text;
template <> inline constexpr FieldType kFieldType<bool> = FieldType::Boolean;
template <> inline constexpr FieldType kFieldType<int> = FieldType::Integer;
template <> inline constexpr FieldType kFieldType<std::int64_t> = FieldType::Integer;
template <> inline constexpr FieldType kFieldType<double> = FieldType::Real;
template <> inline constexpr FieldType kFieldType<std::vector<std::string>> = FieldType::TextList;
template <> inline constexpr FieldType kFieldType<std::vector<std::int64_t>> = FieldType::IntegerList;
template <> inline constexpr FieldType kFieldType<std::vector<double>> = FieldType::RealList;

struct AnyVisitor {
    template <class T> void operator()(const Field&, T&) {}
};
template <class T>
concept Spec = requires(T& spec, AnyVisitor& visitor) { T::fields(spec, visitor); };

Problem notAnObject(const std::string& path, const Json& found);

template <Spec S>
void readFields(const Json& json, const std::string& path, S& spec, std::vector<Problem>& problems);

class FieldReader {
public:
    FieldReader(const Json& object, const std::string& path, std::vector<Problem>& problems)
        : m_object(object)
        , m_prefix(path.empty() ? path : path + ".")
        , m_problems(problems)
    {
    }

    template <class T>
    void operator()(const Field& field, T& member)
    {
        const std::string key(field.key);
        m_known.push_back(key);
        const auto it = m_object.find(key);
        if (it == m_object.end())
            return;
        if constexpr (Spec<T>)
            readFields(*it, m_prefix + key, member, m_problems);
        else
            readValue(*it, field, m_prefix + key, member, m_problems);
    }

    void reportUnknown();

private:
    const Json& m_object;
    std::string m_prefix;
    std::vector<Problem>& m_problems;
    std::vector<std::string> m_known;
};

template <Spec S>
void readFields(const Json& json, const std::string& path, S& spec, std::vector<Problem>& problems)
{
    if (!json.is_object()) {
        problems.push_back(notAnObject(path, json));
        return;
    }
    FieldReader reader(json, path, problems);
    S::fields(spec, reader);
    reader.reportUnknown();
}

class FieldWriter {
public:
    template <class T>
    void operator()(const Field& field, T& member)
    {
        if constexpr (Spec<T>) {
            FieldWriter inner;
            T::fields(member, inner);
            json[std::string(field.key)] = std::move(inner.json);
        } else {
            json[std::string(field.key)] = writeValue(field, member);
        }
    }

    Json json = Json::object();
};

template <Spec S>
Json writeFields(const S& spec)
{
    FieldWriter writer;
    S::fields(const_cast<S&>(spec), writer);  // one field list serves readers and writers; the writer only looks
    return std::move(writer.json);
}

class FieldDescriber {
public:
    FieldDescriber(std::string path, std::vector<FieldInfo>& list)
        : m_prefix(std::move(path) + ".")
        , m_list(list)
    {
    }

    template <class T>
    void operator()(const Field& field, T& member)
    {
        if constexpr (Spec<T>) {
            FieldDescriber inner(m_prefix + std::string(field.key), m_list);
            T::fields(member, inner);
        } else {
            m_list.push_back({m_prefix + std::string(field.key), kFieldType<T>, field, writeValue(field, member)});
        }
    }

private:
    std::string m_prefix;
    std::vector<FieldInfo>& m_list;
};

// Checks values that did not come out of a file (a form's): the same rules by writing and reading back.
template <Spec S>
void checkFields(const S& spec, const std::string& path, std::vector<Problem>& problems)
{
    S scratch = spec;
    readFields(writeFields(spec), path, scratch, problems);
}

}  // namespace holo::config::detail
