#include "core/ladder/parameters.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace holo::ladder {

Parameters::Parameters(const Scheme& scheme, const ModelShape& shape)
    : m_info(kindInfo(scheme.kind))
    , m_scheme(scheme)
    , m_shape(shape)
{
    for (const auto& [key, value] : scheme.parameters)
        checkParameter(m_info, key, value);
    for (const ParameterInfo& info : m_info.parameters)
        if (info.required && !has(info.key))
            throw Error::at(ErrorKind::Usage, {.field = field(info.key), .allowed = info.allowed()});
}

const Value* Parameters::find(std::string_view key) const
{
    const auto it = m_scheme.parameters.find(std::string(key));
    return it == m_scheme.parameters.end() ? nullptr : &it->second;
}

bool Parameters::has(std::string_view key) const { return find(key) != nullptr; }

std::optional<double> Parameters::optionalNumber(std::string_view key) const
{
    if (const Value* value = find(key))
        return std::get<double>(*value);
    const ParameterInfo* info = m_info.find(key);
    return info ? parseDouble(info->fallback) : std::nullopt;
}

double Parameters::number(std::string_view key) const
{
    const auto value = optionalNumber(key);
    if (!value)
        throw Error::at(ErrorKind::Usage, {.field = field(key), .allowed = m_info.find(key)->allowed()});
    return *value;
}

std::int64_t Parameters::integer(std::string_view key) const { return std::int64_t(number(key)); }

std::string Parameters::text(std::string_view key) const
{
    if (const Value* value = find(key))
        return std::get<std::string>(*value);
    return std::string(m_info.find(key)->fallback);
}

std::vector<double> Parameters::list(std::string_view key) const
{
    const Value* value = find(key);
    if (!value)
        return {};
    if (const double* single = std::get_if<double>(value))
        return {*single};
    return std::get<std::vector<double>>(*value);
}

Matrix Parameters::matrix(std::string_view key) const
{
    const Value* value = find(key);
    return value ? std::get<Matrix>(*value) : Matrix();
}

double Parameters::base() const { return optionalNumber("base").value_or(m_shape.base); }

std::int64_t Parameters::context() const { return std::int64_t(optionalNumber("context").value_or(double(m_shape.context))); }

std::int64_t Parameters::original() const { return std::int64_t(optionalNumber("original").value_or(double(m_shape.context))); }

double Parameters::factor() const
{
    if (const auto value = optionalNumber("factor"))
        return *value;
    const double ratio = double(m_shape.context) / double(original());
    if (ratio <= 1)
        throw Error::at(ErrorKind::Usage, {.field = field("factor"), .allowed = m_info.find("factor")->allowed() + ", or original below the model's context"});
    return ratio;
}

void Parameters::refuse(std::string_view key, const std::string& found, const std::string& allowed) const
{
    throw Error::at(ErrorKind::Usage, {.field = field(key), .found = found, .allowed = allowed});
}

std::string Parameters::field(std::string_view key) const { return std::string(m_info.name) + "." + std::string(key); }

}  // namespace holo::ladder
