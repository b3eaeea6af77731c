#include "core/data/prepare.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include <unistd.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/data/document_cutter.h"
#include "core/data/encoding_pool.h"
#include "core/data/prepared_part.h"
#include "core/data/sentencepiece_tokenizer.h"
#include "core/data/text_reader.h"

namespace holo::data {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBlockBytes = 1u << 20;  // of text, the work of one thread at a time
constexpr std::string_view kSentencePiece = "sentencepiece:";

[[noreturn]] void usage(const std::string& field, const std::string& found, const std::string& allowed)
{
    throw Error::at(ErrorKind::Usage, {"", field, found, allowed});
}

bool looksLikeShard(const fs::path& file, TokenType type)
{
    std::error_code ec;
    if (fs::is_directory(file, ec))
        return false;
    const std::string extension = file.extension().string();
    if (type != TokenType::Auto || extension == ".bin" || extension == ".idx" || extension == ".npy")
        return true;
    const InputFile input(file);
    std::int32_t magic = 0;
    if (input.size() >= sizeof magic)
        input.read(0, sizeof magic, &magic);
    return magic == 20240520 || magic == 20240801;
}

bool areShards(const PrepareOptions& options)
{
    if (options.sources.empty())
        usage("sources", "none", "files or folders");
    const auto count = std::count_if(options.sources.begin(), options.sources.end(), [&](const fs::path& file) { return looksLikeShard(file, options.type); });
    if (count != 0 && std::size_t(count) != options.sources.size())
        usage("sources", "token shards and text together", "either of them alone");
    return count != 0;
}

std::optional<int> trainedVocabulary(const PrepareOptions& options)
{
    if (!options.tokenizer.starts_with(kSentencePiece))
        return std::nullopt;
    const auto size = parseInt(std::string_view(options.tokenizer).substr(kSentencePiece.size()));
    if (!size || *size < 260 || *size > 1'000'000)
        usage("tokenizer", options.tokenizer, "sentencepiece:V with V from 260 to 1000000");
    return int(*size);
}

// What cannot be undone leaves nothing behind: the folder is removed unless it was renamed.
class FolderAside {
public:
    explicit FolderAside(const fs::path& target)
        : m_target(target)
    {
        std::array<char, 256> host{};
        ::gethostname(host.data(), host.size() - 1);
        const std::string start = "." + target.filename().string() + ".preparing-" + host.data() + "-";
        const fs::path parent = target.parent_path().empty() ? fs::path(".") : target.parent_path();
        std::error_code ec;
        fs::create_directories(parent, ec);
        // What processes of this host left when they were killed.
        for (fs::directory_iterator it(parent, ec), end; !ec && it != end; it.increment(ec)) {
            const std::string name = it->path().filename().string();
            pid_t pid = 0;
            if (name.starts_with(start) && std::from_chars(name.data() + start.size(), name.data() + name.size(), pid).ec == std::errc() && ::kill(pid, 0) != 0 && errno == ESRCH)
                fs::remove_all(it->path(), ec);
        }
        m_folder = parent / (start + std::to_string(::getpid()));
        fs::remove_all(m_folder, ec);
        if (!fs::create_directory(m_folder, ec))
            throw Error(ErrorKind::Resource, m_folder.string() + ": the folder cannot be made (" + ec.message() + ").", {m_folder.string(), "", ec.message(), "a writable place"});
    }
    ~FolderAside()
    {
        std::error_code ec;
        if (!m_folder.empty())
            fs::remove_all(m_folder, ec);
    }
    FolderAside(const FolderAside&) = delete;
    FolderAside& operator=(const FolderAside&) = delete;

    const fs::path& folder() const { return m_folder; }

    // False if somebody else was first.
    bool commit()
    {
        fsyncFolder(m_folder);
        if (::rename(m_folder.c_str(), m_target.c_str()) != 0) {
            if (errno == ENOTEMPTY || errno == EEXIST)
                return false;
            const std::string why = std::strerror(errno);
            throw Error(ErrorKind::Resource, m_target.string() + ": cannot be written (" + why + ").", {m_target.string(), "", why, "a writable place"});
        }
        m_folder.clear();
        fsyncFolder(m_target.parent_path());
        return true;
    }

private:
    fs::path m_target;
    fs::path m_folder;
};

struct Outcome {
    PreparedPart train;
    PreparedPart validation;
    std::uint64_t separators = 0;
    std::uint64_t bytes = 0;
    std::uint64_t replaced = 0;
    std::vector<std::string> notes;
};

// True for the validation part: the first 53 bits of a hash as a number in [0, 1).
bool isHeldOut(std::uint64_t seed, std::string_view firstPiece, double share)
{
    const std::string hash = sha256(std::to_string(seed) + ":" + sha256(firstPiece)).substr(0, 16);
    std::uint64_t bits = 0;
    std::from_chars(hash.data(), hash.data() + hash.size(), bits, 16);
    return double(bits >> 11) * 0x1p-53 < share;
}

void encodeText(const PrepareOptions& options, const Tokenizer& tokenizer, std::uint64_t vocabulary, Outcome& out)
{
    TextReader reader(listTextSources(options.sources), options.text);
    DocumentCutter cutter(tokenizer);
    EncodingPool pool(tokenizer, options.threads);
    const std::array<PreparedPart*, 2> parts{&out.train, &out.validation};
    const auto store = [&] {
        for (const EncodingPool::Segment& segment : pool.takeOldest()) {
            if (const auto bad = std::find_if(segment.ids.begin(), segment.ids.end(), [&](std::uint32_t id) { return id >= vocabulary; }); bad != segment.ids.end())
                throw Error::at(ErrorKind::Malformed, {options.sources.front().string(), "a token", "id " + std::to_string(*bad), "ids below " + std::to_string(vocabulary) + ", the vocabulary"});
            if (!segment.continued && parts[segment.tag]->documents++ > 0) {
                const std::uint32_t separator = tokenizer.endOfDocument();
                parts[segment.tag]->append({&separator, 1});
                ++out.separators;
            }
            parts[segment.tag]->append(segment.ids);
        }
    };
    EncodingPool::Block block;
    std::size_t blockBytes = 0;
    const auto submit = [&] {
        if (pool.isFull())
            store();
        pool.submit(std::exchange(block, {}));
        blockBytes = 0;
    };
    std::size_t part = 0;
    TextPiece piece;
    while (reader.next(piece)) {
        if (piece.begins)
            part = isHeldOut(options.seed, piece.text, options.validationShare) ? 1 : 0;
        DocumentCutter::Segment segment = cutter.add(piece.text, piece.ends);
        if (segment.text.empty())
            continue;
        blockBytes += segment.text.size();
        block.push_back({std::move(segment.text), segment.continued, part, {}});
        if (blockBytes >= kBlockBytes)
            submit();
        if (options.progress)
            options.progress(reader.totalBytes() > 0 ? double(reader.bytes()) / double(reader.totalBytes()) : 1.0);
    }
    submit();
    while (!pool.isEmpty())
        store();
    out.bytes = reader.totalBytes();
    out.replaced = reader.replacedBytes();
    out.notes = reader.notes();
    if (out.replaced > 0)
        out.notes.push_back(std::to_string(out.replaced) + " invalid byte sequences were replaced by U+FFFD");
    if (cutter.forcedCuts() > 0)
        out.notes.push_back(std::to_string(cutter.forcedCuts()) + " runs without a place to cut were cut after 4 MiB");
}

void copyShards(const PrepareOptions& options, const std::vector<TokenShard>& shards, std::uint64_t vocabulary, Outcome& out)
{
    constexpr std::uint64_t kBlock = 1u << 18;
    std::uint64_t total = 0;
    for (const TokenShard& shard : shards)
        total += shard.tokens();
    std::uint64_t done = 0;
    std::vector<std::uint32_t> block(kBlock);
    for (const TokenShard& shard : shards) {
        if (shard.tokens() == 0)
            out.notes.push_back(shard.path().filename().string() + " was skipped: it holds no token");
        for (std::uint64_t first = 0; first < shard.tokens(); first += kBlock) {
            const std::uint64_t count = std::min(kBlock, shard.tokens() - first);
            shard.read(first, count, block.data());
            for (std::uint64_t i = 0; i < count; ++i)
                if (block[i] >= vocabulary)
                    throw Error::at(ErrorKind::Malformed, {shard.path().string(), "token " + std::to_string(first + i), "id " + std::to_string(block[i]),
                                                           "ids below " + std::to_string(vocabulary) + ", the vocabulary"});
            out.train.append(std::span<const std::uint32_t>(block.data(), std::size_t(count)));
            done += count;
            if (options.progress)
                options.progress(double(done) / double(total));
        }
        out.bytes += shard.tokens() * std::uint64_t(shard.width());
    }
}

// Fills an empty validation part, or an empty training part.
void balance(const PrepareOptions& options, bool shards, Outcome& out)
{
    out.train.finish();
    out.validation.finish();
    if (out.train.tokens() == 0)
        out.train.takeAll(out.validation);
    if (out.train.tokens() == 0)
        throw Error(ErrorKind::Malformed, options.sources.front().string() + ": the sources hold no " + (shards ? "token." : "text."),
                    {options.sources.front().string(), "content", "empty", shards ? "at least one token" : "at least one character"});
    if (options.validationShare <= 0 || out.validation.tokens() > 0)
        return;
    const auto tail = std::uint64_t(std::llround(options.validationShare * double(out.train.tokens())));
    if (tail == 0)
        return;
    out.train.moveTail(tail, out.validation);
    out.validation.finish();
    if (!shards)
        out.notes.push_back("no document was drawn for validation; the last " + std::to_string(tail) + " tokens are the validation part");
}

Json describe(const PrepareOptions& options, const std::string& hash, const Tokenizer* tokenizer, std::uint64_t vocabulary, int width, const Outcome& out)
{
    Json json;
    json["format"] = 1;
    json["hash"] = hash;
    json["tokenizer"] = tokenizer ? Json(tokenizer->kind()) : Json(nullptr);
    if (tokenizer) {
        json["tokenizer_file"] = tokenizer->file().first;
        json["tokenizer_fingerprint"] = tokenizer->fingerprint();
    }
    json["vocab"] = vocabulary;
    json["end_of_document"] = tokenizer ? std::int64_t(tokenizer->endOfDocument()) : -1;
    json["documents"] = out.train.documents + out.validation.documents;
    json["validation_documents"] = out.validation.documents;
    json["separators"] = out.separators;
    json["tokens"] = {{"train", out.train.tokens()}, {"val", out.validation.tokens()}};
    json["bytes"] = out.bytes;
    json["replaced"] = out.replaced;
    json["width"] = width;
    json["largest_id"] = std::max(out.train.largestId(), out.validation.largestId());
    json["shards"] = out.train.describe();
    for (Json& shard : out.validation.describe())
        json["shards"].push_back(std::move(shard));
    json["val_share"] = number(options.validationShare);
    json["seed"] = options.seed;
    json["notes"] = out.notes;
    return json;
}

PreparedData build(const PrepareOptions& options, const std::string& hash, const fs::path& folder)
{
    FolderAside aside(folder);
    const bool shards = areShards(options);
    std::unique_ptr<Tokenizer> tokenizer;
    std::vector<TokenShard> opened;
    std::uint64_t vocabulary = options.vocabulary;
    if (shards) {
        std::uint64_t largest = 0;
        for (const fs::path& file : options.sources) {
            opened.push_back(TokenShard::open(file, options.type));
            if (vocabulary == 0)
                largest = std::max<std::uint64_t>(largest, opened.back().largestId());
        }
        if (vocabulary == 0)
            vocabulary = largest + 1;
    } else {
        const auto trained = trainedVocabulary(options);
        tokenizer = trained ? SentencePieceTokenizer::train(listTextSources(options.sources), options.text, *trained) : loadTokenizer(options.tokenizer);
        if (vocabulary == 0)
            vocabulary = tokenizer->vocabularySize();
        if (vocabulary < tokenizer->vocabularySize())
            usage("vocabulary", std::to_string(vocabulary), "at least " + std::to_string(tokenizer->vocabularySize()) + ", that of the tokenizer");
    }
    const int width = widthForVocabulary(vocabulary);
    Outcome out{PreparedPart(aside.folder(), "train", width, options.shardTokens), PreparedPart(aside.folder(), "val", width, options.shardTokens), 0, 0, 0, {}};
    if (shards)
        copyShards(options, opened, vocabulary, out);
    else
        encodeText(options, *tokenizer, vocabulary, out);
    balance(options, shards, out);
    if (const auto asked = shards ? std::nullopt : trainedVocabulary(options); asked && std::uint32_t(*asked) != tokenizer->vocabularySize())
        out.notes.push_back("the text was too small for " + std::to_string(*asked) + " tokens; the tokenizer has " + std::to_string(tokenizer->vocabularySize()));
    if (shards && options.vocabulary == 0)
        out.notes.push_back("no vocabulary was stated; it is one more than the largest id");
    if (tokenizer)
        if (const auto [name, content] = tokenizer->file(); !name.empty())
            writeFileAtomic(aside.folder() / name, content);
    writeFileAtomic(aside.folder() / "data.json", dumpPretty(describe(options, hash, tokenizer.get(), vocabulary, width, out)));
    aside.commit();
    return PreparedData::open(folder);
}

}  // namespace

std::string preparedHash(const PrepareOptions& options)
{
    if (!(options.validationShare >= 0 && options.validationShare < 1))
        usage("validation share", formatDouble(options.validationShare), "0 to below 1");
    const bool shards = areShards(options);
    std::string text = "prepared data 1\n";
    if (shards) {
        for (const fs::path& file : options.sources) {
            const TokenShard shard = TokenShard::open(file, options.type);
            text += "shard " + std::to_string(shard.width()) + " " + sha256OfFile(shard.path()) + "\n";
        }
    } else {
        for (const TextSource& source : listTextSources(options.sources).files)
            text += (source.isJsonLines ? "lines " : "text ") + sha256OfFile(source.file) + "\n";
        text += "tokenizer " + (trainedVocabulary(options) ? options.tokenizer : loadTokenizer(options.tokenizer)->fingerprint()) + "\n";
        text += "line ends " + std::to_string(int(options.text.lineEnds)) + ", invalid bytes " + std::to_string(int(options.text.invalidBytes)) + ", field " + options.text.jsonField + "\n";
    }
    text += "validation " + formatDouble(options.validationShare) + ", seed " + std::to_string(options.seed) + ", vocabulary " + std::to_string(options.vocabulary) +
            ", shards of " + std::to_string(options.shardTokens) + "\n";
    return sha256(text).substr(0, 32);
}

PreparedData prepareInto(const PrepareOptions& options, const fs::path& folder)
{
    const std::string hash = preparedHash(options);
    std::error_code ec;
    if (fs::exists(folder, ec) && !fs::is_empty(folder, ec)) {
        if (fs::exists(folder / "data.json", ec)) {
            PreparedData data = PreparedData::open(folder);
            if (data.hash() == hash)
                return data;
            throw Error::at(ErrorKind::Usage, {folder.string(), "hash of the data there", data.hash(), hash + ", or a folder that does not exist yet"});
        }
        throw Error::at(ErrorKind::Usage, {folder.string(), "the folder", "in use for something else", "a folder that is empty or does not exist yet"});
    }
    return build(options, hash, folder);
}

PreparedData prepare(const PrepareOptions& options, const fs::path& cache) { return prepareInto(options, cache / preparedHash(options)); }

}  // namespace holo::data
