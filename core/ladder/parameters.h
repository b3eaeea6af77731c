#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ladder/kinds.h"

namespace holo::ladder {

// The parameters of one scheme, checked against the table of kinds, with defaults from the table and from the model.
// The constructor throws Error (usage) for unknown keys, wrong types, values out of range and missing required parameters.
class Parameters {
public:
    Parameters(const Scheme& scheme, const ModelShape& shape);

    bool has(std::string_view key) const;
    double number(std::string_view key) const;            // given or the table's default
    std::optional<double> optionalNumber(std::string_view key) const;
    std::int64_t integer(std::string_view key) const;
    std::string text(std::string_view key) const;
    std::vector<double> list(std::string_view key) const;
    Matrix matrix(std::string_view key) const;

    double base() const;             // given or the model's
    std::int64_t context() const;    // given or the model's
    std::int64_t original() const;   // given, the table's, or the model's context
    double factor() const;           // given, the table's, or context / original; throws Error (usage) if that is not > 1

    // Throws Error (usage) with the field "KIND.KEY".
    [[noreturn]] void refuse(std::string_view key, const std::string& found, const std::string& allowed) const;
    std::string field(std::string_view key) const;

private:
    const Value* find(std::string_view key) const;

    const KindInfo& m_info;
    const Scheme& m_scheme;
    const ModelShape& m_shape;
};

}  // namespace holo::ladder
