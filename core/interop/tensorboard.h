#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"

// TensorBoard event files: TFRecords of `Event` messages (tensorboard/compat/proto/event.proto), written and read without protobuf.
namespace holo::interop {

using Scalars = std::vector<std::pair<std::string, double>>;  // tag and value

// Appends scalars to a new file in a folder; one writer a folder. The first record states the version "brain.Event:2".
class TensorBoardWriter {
public:
    // The file is named events.out.tfevents.SECONDS.NAME and must not exist yet. Throws Error (resource).
    TensorBoardWriter(const std::filesystem::path& folder, double wallTime, const std::string& name);

    const std::filesystem::path& file() const { return m_path; }
    // Scalars are stored as 32-bit floats, as the format has it; non-finite ones as they are.
    void scalars(std::int64_t step, double wallTime, const Scalars& values);
    // The restart marker (SessionLog START): readers drop what was logged at this step or later before it.
    void restart(std::int64_t step, double wallTime);

private:
    void record(const std::string& event);

    std::filesystem::path m_path;
    AppendFile m_file;
};

struct TensorBoardEvent {
    double wallTime = 0;
    std::int64_t step = 0;
    bool isRestart = false;
    Scalars scalars;  // in the order of the record
};

struct TensorBoardFile {
    std::vector<TensorBoardEvent> events;  // in the order of the file; what a restart marker makes void is left out if asked for
    std::vector<std::string> notes;        // a cut or broken tail, records of other kinds, counted
};

// Reads one event file. A cut tail or a broken checksum ends the reading with a note, as a writer that was killed leaves one; a file that does
// not begin like an event file is refused. Throws Error (malformed).
TensorBoardFile readTensorBoard(const std::filesystem::path& file, bool applyRestarts = true);

// All files of a folder whose name holds "tfevents", in the order of their names, as one sequence.
TensorBoardFile readTensorBoardFolder(const std::filesystem::path& folder, bool applyRestarts = true);

}  // namespace holo::interop
