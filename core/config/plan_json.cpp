#include "core/base/json_value.h"
#include "core/config/scheme_json.h"

#include <cmath>
#include <numbers>

#include "core/ladder/kinds.h"
#include "core/ladder/phase_table.h"

namespace holo::config {

namespace {

Json matrix(const ladder::Matrix& rows)
{
    Json list = Json::array();
    for (const auto& row : rows)
        list.push_back(numbers(row));
    return list;
}

std::string_view formName(ladder::AttentionForm form)
{
    switch (form) {
    case ladder::AttentionForm::Softmax: return "softmax";
    case ladder::AttentionForm::Landmark: return "landmark";
    case ladder::AttentionForm::MobiusQuery: return "mobius-query";
    }
    return "softmax";
}

Json ladderJson(const ladder::Ladder& ladder, std::int64_t context, bool withTables)
{
    Json json = {{"name", ladder.name}, {"kind", ladder::kindName(ladder.kind)}, {"context", ladder.context}, {"base", ladder.base > 0 ? number(ladder.base) : Json()}};
    json["theta"] = numbers(ladder.theta);
    json["table_scale"] = number(ladder.tableScale);
    json["temperature"] = number(ladder.tableScale * ladder.tableScale);
    json["parameters"] = ladder.parameters;
    json["hash"] = ladder.hash;
    if (ladder.positionPeriod > 0)
        json["position_period"] = ladder.positionPeriod;
    if (!ladder.damping.empty())
        json["damping"] = numbers(ladder.damping);
    if (!ladder.longTheta.empty())
        json["theta_long"] = numbers(ladder.longTheta);
    if (ladder.keptPositions > 0)
        json["kept_positions"] = ladder.keptPositions;
    if (const auto& f = ladder.fourier) {
        json["kept"] = numbers(f->kept);
        json["planes"] = f->cosCoefficients.empty() ? 0 : std::int64_t(f->cosCoefficients.front().size());
        json["step"] = f->step;
        json["std"] = number(f->entryStd);
        json["gain"] = number(f->gain);
        json["smallest_column_sum"] = number(f->smallestColumnSum);
        json["pad"] = {{"cos", number(f->padCos)}, {"sin", number(f->padSin)}};
        json["cos"] = matrix(f->cosCoefficients);
        json["sin"] = matrix(f->sinCoefficients);
    }
    if (withTables) {
        const ladder::PhaseTable table = ladder::phaseTable(ladder, context);
        json["table"] = {{"positions", table.positions}, {"planes", table.planes}, {"cos", table.cos}, {"sin", table.sin}};
    }
    return json;
}

}  // namespace

Json toJson(const ladder::Plan& plan, bool withTables)
{
    Json ladders = Json::array();
    for (const ladder::Ladder& ladder : plan.ladders)
        ladders.push_back(ladderJson(ladder, plan.shape.context, withTables));
    Json layers = Json::array();
    for (const auto& layer : plan.heads) {
        Json heads = Json::array();
        for (const ladder::HeadAssignment& head : layer) {
            Json entry = {{"ladder", head.ladder}, {"slope", number(head.slope)}, {"window", head.window}};
            if (head.temperature != 1)
                entry["temperature"] = number(head.temperature);
            if (head.form != ladder::AttentionForm::Softmax)
                entry["form"] = formName(head.form);
            heads.push_back(std::move(entry));
        }
        layers.push_back(std::move(heads));
    }
    Json json = {{"ladders", std::move(ladders)}, {"plan", std::move(layers)}, {"share", number(plan.share)}};
    if (plan.landmarkBlock > 0)
        json["landmark_block"] = plan.landmarkBlock;
    if (plan.logLengthTemperature)
        json["temperature_offset"] = number(plan.temperatureOffset);
    json["notes"] = plan.notes;
    return json;
}

}  // namespace holo::config
