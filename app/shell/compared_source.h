#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/base/json.h"
#include "core/ladder/plan.h"
#include "core/model/curve.h"
#include "core/model/needle_grid.h"

namespace holo::shell {

// What a dropped run folder, checkpoint or model file tells of itself.
struct ComparedSource {
    QString path;        // as dropped
    QString runFolder;   // empty: no run around it
    QString title;
    std::int64_t step = -1;  // of a dropped checkpoint; −1: the newest
    std::optional<model::NeedleGrid> grid;
    std::string gridFrom;    // where it was read
    model::Curve loss;       // live branch over steps
    Json spec;               // null: not known
    std::vector<ladder::Ladder> ladders;
    QStringList notes;
    QStringList conflicts;   // settings of a foreign model that contradict each other
};

// Reads files only; never throws: what cannot be read becomes a note.
ComparedSource readSource(const QString& path);

// Leaves of two documents that differ: path, text in a, text in b. A key that one lacks is "not there".
struct SpecDifference {
    QString path;
    QString a;
    QString b;
};
std::vector<SpecDifference> specDifferences(const Json& a, const Json& b, bool all = false);

}  // namespace holo::shell
