#include "core/data/prepare.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/data/document_cutter.h"
#include "core/data/encoding_pool.h"
#include "core/data/prepare_folder.h"
#include "core/data/prepared_part.h"
#include "core/data/sentencepiece_tokenizer.h"
#include "core/data/text_reader.h"

namespace holo::data {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBlockBytes = 1u << 20;  // of text, the work of one thread at a time
constexpr std::string_view kSentencePiece = "sentencepiece:";
constexpr int kJournalFormat = 1;

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

struct Outcome {
    PreparedPart train;
    PreparedPart validation;
    std::uint64_t separators = 0;
    std::uint64_t blocks = 0;  // of the sources, all of whose ids are in the parts
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

// Writes down now and then what is finished, so that a killed process need not begin again.
class Pieces {
public:
    Pieces(const PrepareOptions& options, PrepareFolder& folder, Outcome& out)
        : m_pieceBytes(options.pieceBytes)
        , m_folder(folder)
        , m_out(out)
    {
    }

    // A block of the sources is in the parts.
    void done(std::uint64_t bytes)
    {
        ++m_out.blocks;
        m_bytes += bytes;
        if (m_bytes < m_pieceBytes)
            return;
        m_bytes = 0;
        Json journal = {{"format", kJournalFormat}, {"blocks", m_out.blocks}, {"separators", m_out.separators}, {"train", m_out.train.checkpoint()}, {"val", m_out.validation.checkpoint()}};
        if (m_folder.journal().is_object() && m_folder.journal().contains("tokenizer"))
            journal["tokenizer"] = m_folder.journal()["tokenizer"];
        m_folder.write(std::move(journal));
    }

private:
    std::uint64_t m_pieceBytes;
    PrepareFolder& m_folder;
    Outcome& m_out;
    std::uint64_t m_bytes = 0;
};

// True if `out` is now what the journal says; a new one is needed otherwise.
bool restore(const Json& journal, Outcome& out)
{
    if (!journal.is_object() || journal.value("format", 0) != kJournalFormat || !journal.contains("blocks") || !journal.contains("separators") || !journal.contains("train") || !journal.contains("val"))
        return false;
    if (!journal["blocks"].is_number_unsigned() || !journal["separators"].is_number_unsigned() || !out.train.restore(journal["train"]) || !out.validation.restore(journal["val"]))
        return false;
    out.blocks = journal["blocks"];
    out.separators = journal["separators"];
    return true;
}

// A block that is finished already is cut like the others, since what follows depends on where it ends, but not encoded.
void encodeText(const PrepareOptions& options, const Tokenizer& tokenizer, std::uint64_t vocabulary, Pieces& pieces, Outcome& out)
{
    TextReader reader(listTextSources(options.sources), options.text);
    DocumentCutter cutter(tokenizer);
    EncodingPool pool(tokenizer, options.threads);
    const std::array<PreparedPart*, 2> parts{&out.train, &out.validation};
    const auto store = [&] {
        std::uint64_t bytes = 0;
        for (const EncodingPool::Segment& segment : pool.takeOldest()) {
            bytes += segment.text.size();
            if (const auto bad = std::find_if(segment.ids.begin(), segment.ids.end(), [&](std::uint32_t id) { return id >= vocabulary; }); bad != segment.ids.end())
                throw Error::at(ErrorKind::Malformed, {options.sources.front().string(), "a token", "id " + std::to_string(*bad), "ids below " + std::to_string(vocabulary) + ", the vocabulary"});
            if (!segment.continued && parts[segment.tag]->documents++ > 0) {
                const std::uint32_t separator = tokenizer.endOfDocument();
                parts[segment.tag]->append({&separator, 1});
                ++out.separators;
            }
            parts[segment.tag]->append(segment.ids);
        }
        pieces.done(bytes);
    };
    const std::uint64_t finished = out.blocks;
    std::uint64_t cut = 0;
    EncodingPool::Block block;
    std::size_t blockBytes = 0;
    const auto submit = [&] {
        if (cut++ < finished) {
            block.clear();
        } else {
            if (pool.isFull())
                store();
            pool.submit(std::exchange(block, {}));
        }
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
            options.progress({cut < finished ? PreparePhase::Skipping : PreparePhase::Encoding, reader.bytes(), reader.totalBytes()});
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

void copyShards(const PrepareOptions& options, const std::vector<TokenShard>& shards, std::uint64_t vocabulary, Pieces& pieces, Outcome& out)
{
    constexpr std::uint64_t kBlock = 1u << 18;
    std::uint64_t total = 0;
    for (const TokenShard& shard : shards)
        total += shard.tokens() * std::uint64_t(shard.width());
    const std::uint64_t finished = out.blocks;
    std::uint64_t at = 0;
    std::vector<std::uint32_t> block(kBlock);
    for (const TokenShard& shard : shards) {
        if (shard.tokens() == 0)
            out.notes.push_back(shard.path().filename().string() + " was skipped: it holds no token");
        for (std::uint64_t first = 0; first < shard.tokens(); first += kBlock) {
            const std::uint64_t count = std::min(kBlock, shard.tokens() - first);
            const std::uint64_t bytes = count * std::uint64_t(shard.width());
            out.bytes += bytes;
            if (at++ < finished)
                continue;
            shard.read(first, count, block.data());
            for (std::uint64_t i = 0; i < count; ++i)
                if (block[i] >= vocabulary)
                    throw Error::at(ErrorKind::Malformed, {shard.path().string(), "token " + std::to_string(first + i), "id " + std::to_string(block[i]),
                                                           "ids below " + std::to_string(vocabulary) + ", the vocabulary"});
            out.train.append(std::span<const std::uint32_t>(block.data(), std::size_t(count)));
            pieces.done(bytes);
            if (options.progress)
                options.progress({PreparePhase::Encoding, out.bytes, total});
        }
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

// Of the sources' contents, one after the other.
class SourceHash {
public:
    explicit SourceHash(const PrepareOptions& options, std::uint64_t totalBytes)
        : m_options(options)
        , m_total(totalBytes)
    {
    }

    std::string of(const fs::path& path)
    {
        const InputFile file(path);
        Sha256 digest;
        for (std::uint64_t at = 0; at < file.size();) {
            const std::uint64_t count = std::min<std::uint64_t>(m_buffer.size(), file.size() - at);
            file.read(at, count, m_buffer.data());
            digest.add(m_buffer.data(), std::size_t(count));
            at += count;
            m_done += count;
            if (m_options.progress)
                m_options.progress({PreparePhase::Hashing, m_done, m_total});
        }
        return digest.hex();
    }

private:
    const PrepareOptions& m_options;
    std::uint64_t m_total;
    std::uint64_t m_done = 0;
    std::string m_buffer = std::string(1u << 20, '\0');
};

// What a killed process trained on the text is as good as new.
std::unique_ptr<Tokenizer> tokenizerOf(const PrepareOptions& options, PrepareFolder& folder)
{
    const auto trained = trainedVocabulary(options);
    if (!trained)
        return loadTokenizer(options.tokenizer);
    if (const Json& journal = folder.journal(); journal.is_object() && journal.contains("tokenizer") && journal["tokenizer"].is_string()) {
        try {
            return loadTokenizer((folder.path() / journal["tokenizer"].get<std::string>()).string());
        } catch (const Error&) {
            folder.startOver();
        }
    }
    if (options.progress)
        options.progress({PreparePhase::Training, 0, 0});
    std::unique_ptr<Tokenizer> tokenizer = SentencePieceTokenizer::train(listTextSources(options.sources), options.text, *trained);
    const auto [name, content] = tokenizer->file();
    writeFileAtomic(folder.path() / name, content);
    folder.write({{"tokenizer", name}});
    return tokenizer;
}

PreparedData build(const PrepareOptions& options, const std::string& hash, const fs::path& target)
{
    PrepareFolder folder(target, hash);
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
        tokenizer = tokenizerOf(options, folder);
        if (vocabulary == 0)
            vocabulary = tokenizer->vocabularySize();
        if (vocabulary < tokenizer->vocabularySize())
            usage("vocabulary", std::to_string(vocabulary), "at least " + std::to_string(tokenizer->vocabularySize()) + ", that of the tokenizer");
    }
    const int width = widthForVocabulary(vocabulary);
    const auto fresh = [&] { return Outcome{PreparedPart(folder.path(), "train", width, options.shardTokens), PreparedPart(folder.path(), "val", width, options.shardTokens), 0, 0, 0, 0, {}}; };
    Outcome out = fresh();
    if (!restore(folder.journal(), out))
        out = fresh();
    Pieces pieces(options, folder, out);
    if (shards)
        copyShards(options, opened, vocabulary, pieces, out);
    else
        encodeText(options, *tokenizer, vocabulary, pieces, out);
    if (options.progress)
        options.progress({PreparePhase::Finishing, out.bytes, out.bytes});
    balance(options, shards, out);
    if (const auto asked = shards ? std::nullopt : trainedVocabulary(options); asked && std::uint32_t(*asked) != tokenizer->vocabularySize())
        out.notes.push_back("the text was too small for " + std::to_string(*asked) + " tokens; the tokenizer has " + std::to_string(tokenizer->vocabularySize()));
    if (shards && options.vocabulary == 0)
        out.notes.push_back("no vocabulary was stated; it is one more than the largest id");
    if (tokenizer)
        if (const auto [name, content] = tokenizer->file(); !name.empty())
            writeFileAtomic(folder.path() / name, content);
    writeFileAtomic(folder.path() / "data.json", dumpPretty(describe(options, hash, tokenizer.get(), vocabulary, width, out)));
    folder.commit();
    return PreparedData::open(target);
}

}  // namespace

std::string preparedHash(const PrepareOptions& options)
{
    if (!(options.validationShare >= 0 && options.validationShare < 1))
        usage("validation share", formatDouble(options.validationShare), "0 to below 1");
    const bool shards = areShards(options);
    std::string text = "prepared data 1\n";
    std::vector<std::pair<std::string, fs::path>> files;
    if (shards) {
        for (const fs::path& file : options.sources) {
            const TokenShard shard = TokenShard::open(file, options.type);
            files.emplace_back("shard " + std::to_string(shard.width()), shard.path());
        }
    } else {
        for (const TextSource& source : listTextSources(options.sources).files)
            files.emplace_back(source.isJsonLines ? "lines" : "text", source.file);
    }
    std::uint64_t bytes = 0;
    for (const auto& [kind, file] : files)
        bytes += InputFile(file).size();
    SourceHash sources(options, bytes);
    for (const auto& [kind, file] : files)
        text += kind + " " + sources.of(file) + "\n";
    if (!shards) {
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
