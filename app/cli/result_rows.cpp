#include "app/cli/result_rows.h"

#include <cmath>

#include "app/cli/text_table.h"

namespace holo::cli {

std::string resultText(const std::vector<bench::Row>& rows)
{
    TextTable table({"result", "variant", "value", "unit", "reference", "ratio", "goal", "pass"});
    int passed = 0;
    int failed = 0;
    int skipped = 0;
    for (const bench::Row& row : rows) {
        const bool wasSkipped = row.note.starts_with("skipped");
        passed += row.pass == true;
        failed += row.pass == false;
        skipped += wasSkipped;
        table.add({row.name, row.variant, shortNumber(row.value, 4), row.unit, shortNumber(row.reference.value_or(std::nan("")), 4), shortNumber(row.ratio.value_or(std::nan("")), 3),
                   row.goal.text(), row.pass ? (*row.pass ? "pass" : "FAIL") : wasSkipped ? row.note : ""});
    }
    return table.text() + "\n" + std::to_string(passed) + " passed, " + std::to_string(failed) + " failed, " + std::to_string(skipped) + " skipped\n";
}

}  // namespace holo::cli
