#pragma once

#include <QString>
#include <cstdint>

#include "core/config/project.h"

namespace holo::test {

// A project with run folders in the formats of the engine, made by a fixed recipe: arms "standard" (uniform), "mobius25" and "nope25"
// (hybrids), seeds 1 … 4, 120 steps, evaluations at steps 40, 80 and 120. Special runs:
//   standard/4   non-finite losses at steps 50 and 51, still done
//   mobius25/4   interrupted at step 70 of the second attempt; the first attempt reached 90, resumed from 60
//   nope25/3     failed with class resource
//   nope25/4     running (the heartbeat names this process) at step 64
class FixtureProject {
public:
    explicit FixtureProject(const QString& folder);
    QString folder() const { return m_folder; }
    const config::Project& project() const { return m_project; }
    QString run(const QString& arm, int seed) const;  // folder name

    void appendSteps(const QString& run, int from, int to, int attempt = 1) const;
    void finish(const QString& run, int code, const QString& className, const QString& message, std::int64_t step) const;

private:
    void writeRun(const config::RunSpec& spec);
    void writeEval(const config::RunSpec& spec, const QString& run, std::int64_t step) const;

    QString m_folder;
    config::Project m_project;
};

}  // namespace holo::test
