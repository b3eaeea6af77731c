#include "core/interop/tensorboard.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/protobuf.h"
#include "core/interop/crc32c.h"

namespace holo::interop {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kVersion = "brain.Event:2";
constexpr std::uint64_t kLongestRecord = 64u << 20;
constexpr std::uint64_t kFrameBytes = 16;  // length, its checksum, checksum of the payload

// Fields of event.proto and summary.proto.
enum EventField { kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7 };
constexpr int kSummaryValue = 1;
enum ValueField { kTag = 1, kSimpleValue = 2, kTensor = 8 };
constexpr std::uint64_t kSessionStart = 1;

std::string eventStart(std::int64_t step, double wallTime)
{
    std::string event;
    putVarint(event, kWallTime << 3 | 1);
    putFixed(event, wallTime);
    putVarint(event, kStep << 3);
    putVarint(event, std::uint64_t(step));
    return event;
}

template <class T>
T valueAt(const char* bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

// A scalar kept as a TensorProto: the first of float_val or double_val, or four or eight bytes of tensor_content (fields 5, 6, 4; dtype 1).
std::optional<double> scalarOfTensor(std::string_view tensor, bool& broken)
{
    std::uint64_t dtype = 0;
    std::string_view content;
    std::optional<double> value;
    while (const auto field = takeField(tensor, broken)) {
        if (field->number == 1 && field->type == 0)
            dtype = field->value;
        else if (field->number == 4 && field->type == 2)
            content = field->bytes;
        else if (field->number == 5 && field->type == 2 && field->bytes.size() == 4)
            value = double(valueAt<float>(field->bytes.data()));
        else if (field->number == 5 && field->type == 5)
            value = double(field->asFloat());
        else if (field->number == 6 && field->type == 2 && field->bytes.size() == 8)
            value = valueAt<double>(field->bytes.data());
        else if (field->number == 6 && field->type == 1)
            value = field->asDouble();
    }
    if (!value && dtype == 1 && content.size() == 4)
        value = double(valueAt<float>(content.data()));
    if (!value && dtype == 2 && content.size() == 8)
        value = valueAt<double>(content.data());
    return value;
}

struct Tally {
    std::uint64_t others = 0;
};

bool parseEvent(std::string_view payload, TensorBoardEvent& event, std::string& version, Tally& tally)
{
    bool broken = false;
    while (const auto field = takeField(payload, broken)) {
        if (field->number == kWallTime && field->type == 1) {
            event.wallTime = field->asDouble();
        } else if (field->number == kStep && field->type == 0) {
            event.step = std::int64_t(field->value);
        } else if (field->number == kFileVersion && field->type == 2) {
            version = field->bytes;
        } else if (field->number == kSessionLog && field->type == 2) {
            std::string_view log = field->bytes;
            while (const auto inner = takeField(log, broken))
                event.isRestart |= inner->number == 1 && inner->type == 0 && inner->value == kSessionStart;
        } else if (field->number == kSummary && field->type == 2) {
            std::string_view summary = field->bytes;
            while (const auto entry = takeField(summary, broken)) {
                if (entry->number != kSummaryValue || entry->type != 2)
                    continue;
                std::string_view value = entry->bytes;
                std::string tag;
                std::optional<double> scalar;
                while (const auto part = takeField(value, broken)) {
                    if (part->number == kTag && part->type == 2)
                        tag = part->bytes;
                    else if (part->number == kSimpleValue && part->type == 5)
                        scalar = double(part->asFloat());
                    else if (part->number == kTensor && part->type == 2)
                        scalar = scalarOfTensor(part->bytes, broken);
                }
                if (scalar)
                    event.scalars.emplace_back(tag, *scalar);
                else
                    ++tally.others;
            }
        }
    }
    return !broken;
}

void dropVoid(TensorBoardFile& file)
{
    std::vector<TensorBoardEvent> kept;
    for (TensorBoardEvent& event : file.events) {
        if (event.isRestart)
            std::erase_if(kept, [&](const TensorBoardEvent& old) { return !old.isRestart && old.step >= event.step; });
        kept.push_back(std::move(event));
    }
    file.events = std::move(kept);
}

}  // namespace

TensorBoardWriter::TensorBoardWriter(const fs::path& folder, double wallTime, const std::string& name)
    : m_path(folder / ("events.out.tfevents." + std::to_string(std::int64_t(wallTime)) + "." + name))
{
    std::error_code ec;
    if (fs::exists(m_path, ec))
        throw Error::at(ErrorKind::Resource, {m_path.string(), "the file", "there already", "a name of its own for every writer"});
    m_file = AppendFile(m_path);
    std::string event;
    putVarint(event, kWallTime << 3 | 1);
    putFixed(event, wallTime);
    putBytes(event, kFileVersion, kVersion);
    record(event);
}

void TensorBoardWriter::record(const std::string& event)
{
    std::string bytes;
    putFixed(bytes, std::uint64_t(event.size()));
    putFixed(bytes, maskedCrc32c(bytes));
    bytes += event;
    putFixed(bytes, maskedCrc32c(event));
    m_file.append(bytes);
}

void TensorBoardWriter::scalars(std::int64_t step, double wallTime, const Scalars& values)
{
    std::string summary;
    for (const auto& [tag, value] : values) {
        std::string entry;
        putBytes(entry, kTag, tag);
        putVarint(entry, kSimpleValue << 3 | 5);
        putFixed(entry, float(value));
        putBytes(summary, kSummaryValue, entry);
    }
    std::string event = eventStart(step, wallTime);
    putBytes(event, kSummary, summary);
    record(event);
}

void TensorBoardWriter::restart(std::int64_t step, double wallTime)
{
    std::string log;
    putVarint(log, 1 << 3);
    putVarint(log, kSessionStart);
    std::string event = eventStart(step, wallTime);
    putBytes(event, kSessionLog, log);
    record(event);
}

TensorBoardFile readTensorBoard(const fs::path& path, bool applyRestarts)
{
    const InputFile input(path);
    TensorBoardFile file;
    Tally tally;
    std::string payload;
    const auto stop = [&](std::uint64_t at, const std::string& why) { file.notes.push_back(path.filename().string() + ": " + why + " at byte " + std::to_string(at) + "; what follows is left out"); };
    std::uint64_t at = 0;
    bool first = true;
    while (at < input.size()) {
        const std::uint64_t left = input.size() - at;
        char head[12];
        const bool whole = left >= kFrameBytes;
        if (whole)
            input.read(at, sizeof head, head);
        const std::uint64_t length = whole ? valueAt<std::uint64_t>(head) : 0;
        const bool headGood = whole && valueAt<std::uint32_t>(head + 8) == maskedCrc32c({head, 8});
        std::string version;
        TensorBoardEvent event;
        std::string why;
        if (!whole) {
            why = "a record is cut";
        } else if (!headGood) {
            why = "the checksum of a length is wrong";
        } else if (length > kLongestRecord) {
            why = "a record of " + std::to_string(length) + " bytes";
        } else if (length > left - kFrameBytes) {
            why = "a record is cut";
        } else {
            payload.resize(std::size_t(length) + 4);
            input.read(at + 12, length + 4, payload.data());
            if (valueAt<std::uint32_t>(payload.data() + length) != maskedCrc32c(std::string_view(payload).substr(0, std::size_t(length))))
                why = "the checksum of a record is wrong";
            else if (!parseEvent(std::string_view(payload).substr(0, std::size_t(length)), event, version, tally))
                why = "a record is no event";
        }
        if (first && (!why.empty() || version != kVersion))
            throw Error::at(ErrorKind::Malformed, {path.string(), "the first record", why.empty() ? "version \"" + version.substr(0, 50) + "\"" : why, "an event file of version brain.Event:2"});
        if (!why.empty()) {
            stop(at, why);
            break;
        }
        if (!first && (event.isRestart || !event.scalars.empty()))
            file.events.push_back(std::move(event));
        first = false;
        at += length + kFrameBytes;
    }
    if (input.size() == 0)
        throw Error::at(ErrorKind::Malformed, {path.string(), "size", "0 bytes", "an event file"});
    if (tally.others > 0)
        file.notes.push_back(path.filename().string() + ": " + std::to_string(tally.others) + " values that are no scalars are left out");
    if (applyRestarts)
        dropVoid(file);
    return file;
}

TensorBoardFile readTensorBoardFolder(const fs::path& folder, bool applyRestarts)
{
    std::vector<fs::path> files;
    std::error_code ec;
    for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
        if (it->path().filename().string().find("tfevents") != std::string::npos)
            files.push_back(it->path());
    if (ec || files.empty())
        throw Error::at(ErrorKind::Malformed, {folder.string(), "event files", ec ? ec.message() : std::string("none"), "files whose name holds tfevents"});
    std::sort(files.begin(), files.end());
    TensorBoardFile all;
    for (const fs::path& path : files) {
        TensorBoardFile file = readTensorBoard(path, false);
        std::move(file.events.begin(), file.events.end(), std::back_inserter(all.events));
        std::move(file.notes.begin(), file.notes.end(), std::back_inserter(all.notes));
    }
    if (applyRestarts)
        dropVoid(all);
    return all;
}

}  // namespace holo::interop
