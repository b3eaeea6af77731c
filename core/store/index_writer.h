#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/model/run_events.h"

namespace holo::run {
class RunDirectory;
enum class RunState;
}

namespace holo::store {

class Database;

// What one update found.
struct Changes {
    struct Steps {
        std::string run;
        std::vector<model::StepRecord> records;  // appended ones, in the order of the file
        bool restarted = false;                  // the file became shorter: everything known before is void
    };
    std::vector<std::string> runs;     // with any change, new ones too
    std::vector<std::string> removed;  // folders that are gone
    std::vector<Steps> steps;
    std::vector<std::string> evals;    // runs with new evaluations

    bool isEmpty() const { return runs.empty() && removed.empty(); }
};

// Reads run directories by offset and writes what is new in one transaction an update. The first update looks at every run; later ones look
// at every run that is under way or waits, and at those that have ended in turns of kSettledAtOnce, so that following a study of ten thousand
// runs costs what its live ones cost.
class IndexWriter {
public:
    IndexWriter(Database& database, std::filesystem::path project);
    Changes update();

private:
    struct Known {
        std::int64_t key = 0;
        std::uint64_t offset = 0;
        std::string signature;
        bool settled = false;  // ended, as of the last look
    };
    void load();
    static constexpr std::size_t kSettledAtOnce = 200;
    static std::string signatureOf(const run::RunDirectory& run, run::RunState& state);
    void updateRun(const run::RunDirectory& run, Known& known, Changes& changes);
    bool readEvents(const run::RunDirectory& run, Known& known, Changes& changes);
    bool readEvals(const run::RunDirectory& run, const Known& known);
    void writeEval(const Known& known, const std::filesystem::path& folder, const std::string& signature);
    void writeSummary(const run::RunDirectory& run, const Known& known);

    Database& m_database;
    std::filesystem::path m_project;
    std::map<std::string, Known> m_known;
    std::size_t m_turn = 0;  // the settled run that the next update begins with
};

}  // namespace holo::store
