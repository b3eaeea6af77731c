#include <QtTest>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/interop/hf_weights.h"
#include "core/interop/safetensors_writer.h"
#include "tests/temporary_folder.h"

using namespace holo;
using namespace holo::interop;
namespace fs = std::filesystem;

namespace {

HfConfig small(bool neox)
{
    HfConfig c;
    c.family = neox ? "gpt_neox" : "llama";
    c.style = neox ? "neox" : "llama";
    c.layers = 2;
    c.hidden = neox ? 6 : 8;
    c.heads = neox ? 3 : 4;
    c.kvHeads = neox ? 3 : 2;
    c.headDim = neox ? 2 : 4;
    c.rotaryDim = c.headDim;
    c.mlp = 10;
    c.vocab = 7;
    c.qkvBias = c.outputBias = c.mlpBias = neox;
    return c;
}

using Tensors = std::map<std::string, std::vector<float>>;

std::int64_t columnsOf(const std::vector<std::int64_t>& shape) { return std::accumulate(shape.begin() + 1, shape.end(), std::int64_t(1), std::multiplies<>()); }

Tensors gather(const std::vector<RowGather>& plan, const Tensors& sources)
{
    Tensors out;
    for (const RowGather& target : plan) {
        std::vector<float>& values = out[target.target];
        for (const RowGather::Part& part : target.parts) {
            const std::vector<float>& source = sources.at(part.source);
            const std::int64_t columns = columnsOf(part.sourceShape);
            if (part.rows.empty())
                values.insert(values.end(), source.begin(), source.end());
            for (const std::int64_t row : part.rows)
                values.insert(values.end(), source.begin() + row * columns, source.begin() + (row + 1) * columns);
        }
        if (std::int64_t(values.size()) != target.shape[0] * columnsOf(target.shape))
            throw std::logic_error("the parts of " + target.target + " do not fill its shape");
    }
    return out;
}

// Every source of an import plan, filled with numbers that differ everywhere.
Tensors foreignTensors(const HfConfig& config, std::map<std::string, std::vector<std::int64_t>>* shapes = nullptr)
{
    Tensors tensors;
    float next = 0;
    for (const RowGather& target : importPlan(config))
        for (const RowGather::Part& part : target.parts) {
            if (tensors.contains(part.source))
                continue;
            auto& values = tensors[part.source];
            for (std::int64_t i = part.sourceShape[0] * columnsOf(part.sourceShape); i > 0; --i)
                values.push_back(next++);
            if (shapes)
                (*shapes)[part.source] = part.sourceShape;
        }
    return tensors;
}

}  // namespace

class TestHfWeights : public QObject, private test::TemporaryFolder {
    Q_OBJECT

private:
    fs::path writeModel(const std::string& name, const HfConfig& config, const std::function<void(Tensors&, std::map<std::string, std::vector<std::int64_t>>&)>& change = {}, const char* dtype = "F32") const
    {
        std::map<std::string, std::vector<std::int64_t>> shapes;
        Tensors tensors = foreignTensors(config, &shapes);
        if (change)
            change(tensors, shapes);
        SafetensorsWriter writer;
        for (const auto& [tensor, values] : tensors)
            writer.add(tensor, dtype, shapes[tensor], values.data());
        fs::create_directories(path(name).parent_path());
        writer.write(path(name));
        return path(name);
    }

    static int code(const std::function<void()>& action, std::string* message = nullptr)
    {
        try {
            action();
            return 0;
        } catch (const Error& e) {
            if (message)
                *message = e.what();
            return exitCode(e.kind());
        }
    }

private Q_SLOTS:
    void fusedRowsGoHeadByHead()
    {
        const FusedRows rows = neoxFusedRows(3, 2);
        QCOMPARE(rows.q, (Rows{0, 1, 6, 7, 12, 13}));
        QCOMPARE(rows.k, (Rows{2, 3, 8, 9, 14, 15}));
        QCOMPARE(rows.v, (Rows{4, 5, 10, 11, 16, 17}));
        const RowGather& weight = [] {
            static const auto plan = importPlan(small(true));
            return *std::find_if(plan.begin(), plan.end(), [](const RowGather& g) { return g.target == "blocks.1.attn.qkv.bias"; });
        }();
        QCOMPARE(weight.shape, (std::vector<std::int64_t>{18}));
        QCOMPARE(weight.parts[1].rows, rows.k);
        QCOMPARE(weight.parts[1].source, std::string("gpt_neox.layers.1.attention.query_key_value.bias"));
    }

    void pairingIsAPermutationOfEachHead()
    {
        QCOMPARE(interleavedToHalf(2, 6, 4), (Rows{0, 2, 1, 3, 4, 5, 6, 8, 7, 9, 10, 11}));
        const Rows rows = interleavedToHalf(3, 8, 8);
        QCOMPARE(composed(rows, inverse(rows)), (Rows{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}));

        // One head of 4 lanes holding 1, 2, 3, 4, base 10000, position 2: rotating neighbours equals permuting, rotating halves, permuting back.
        const double angle[2] = {2.0, 0.02};
        const auto rotateHalves = [&](const std::array<double, 4>& x) {
            std::array<double, 4> y{};
            for (int j = 0; j < 2; ++j) {
                y[std::size_t(j)] = x[std::size_t(j)] * std::cos(angle[j]) - x[std::size_t(j + 2)] * std::sin(angle[j]);
                y[std::size_t(j + 2)] = x[std::size_t(j + 2)] * std::cos(angle[j]) + x[std::size_t(j)] * std::sin(angle[j]);
            }
            return y;
        };
        const std::array<double, 4> x{1, 2, 3, 4};
        const std::array<double, 4> halves = rotateHalves(x);
        const double expectedHalves[] = {-3.144039, 1.919605, -0.339143, 4.039197};
        const Rows map = interleavedToHalf(1, 4, 4);
        std::array<double, 4> permuted{};
        for (std::size_t i = 0; i < 4; ++i)
            permuted[i] = x[std::size_t(map[i])];
        const std::array<double, 4> turned = rotateHalves(permuted);
        std::array<double, 4> neighbours{};
        for (std::size_t i = 0; i < 4; ++i)
            neighbours[std::size_t(map[i])] = turned[i];
        const double expectedNeighbours[] = {-2.234742, 0.077004, 2.919405, 4.059196};
        for (std::size_t i = 0; i < 4; ++i) {
            QVERIFY(std::abs(halves[i] - expectedHalves[i]) < 1e-6);
            QVERIFY(std::abs(neighbours[i] - expectedNeighbours[i]) < 1e-6);
        }
    }

    void exportUndoesImport_data()
    {
        QTest::addColumn<bool>("neox");
        QTest::addColumn<bool>("interleaved");
        QTest::addColumn<bool>("tied");
        for (const bool neox : {false, true})
            for (const bool interleaved : {false, true})
                for (const bool tied : {false, true})
                    QTest::addRow("%s, %s%s", neox ? "neox" : "llama", interleaved ? "interleaved" : "half", tied ? ", tied" : "") << neox << interleaved << tied;
    }

    void exportUndoesImport()
    {
        QFETCH(bool, neox);
        QFETCH(bool, interleaved);
        QFETCH(bool, tied);
        HfConfig config = small(neox);
        config.tied = tied;
        config.pairing = interleaved ? ladder::Pairing::Interleaved : ladder::Pairing::HalfSplit;
        const Tensors foreign = foreignTensors(config);
        const Tensors ours = gather(importPlan(config), foreign);
        QCOMPARE(ours.contains("head.weight"), !tied);
        QCOMPARE(gather(exportPlan(config), ours), foreign);
        // k is permuted with its own number of heads.
        if (!neox && interleaved) {
            const std::vector<float>& qkv = ours.at("blocks.0.attn.qkv.weight");
            const std::vector<float>& k = foreign.at("model.layers.0.self_attn.k_proj.weight");
            QCOMPARE(qkv[std::size_t((16 + 1) * 8)], k[std::size_t(2 * 8)]);  // k row 1 (plane 1, first lane) came from lane 2
            QCOMPARE(qkv[std::size_t((16 + 4) * 8)], k[std::size_t(4 * 8)]);  // the second k head starts where it did
        }
    }

    void checksTensorsAgainstTheConfig()
    {
        const HfConfig config = small(false);
        std::string message;
        const auto check = [&](const fs::path& file, const HfConfig& c, ImportReport* report = nullptr) {
            return code([&] {
                auto plan = importPlan(c);
                const ImportReport found = checkTensors(plan, c, TensorSet::open(file));
                if (report)
                    *report = found;
            }, &message);
        };
        ImportReport report;
        QCOMPARE(check(writeModel("m.safetensors", config), config, &report), 0);
        QCOMPARE(report.used, report.total);

        QCOMPARE(check(writeModel("m.safetensors", config, [](auto& t, auto&) { t.erase("model.norm.weight"); t.erase("model.layers.1.mlp.up_proj.weight"); }), config), 3);
        QVERIFY2(message.find("model.norm.weight") != std::string::npos && message.find("model.layers.1.mlp.up_proj.weight") != std::string::npos, message.c_str());
        QCOMPARE(check(writeModel("m.safetensors", config, [](auto& t, auto& s) { t["extra"] = {1}; s["extra"] = {1}; t["model.layers.0.self_attn.rotary_emb.inv_freq"] = {1, 2}; s["model.layers.0.self_attn.rotary_emb.inv_freq"] = {2}; }), config, &report), 0);
        QCOMPARE(report.frequencies.size(), std::size_t(1));
        QCOMPARE(report.used + 2, report.total);
        QVERIFY(std::any_of(report.notes.begin(), report.notes.end(), [](const std::string& note) { return note.starts_with("extra is not part"); }));
        QCOMPARE(check(writeModel("m.safetensors", config, [](auto&, auto& s) { std::swap(s["model.embed_tokens.weight"][0], s["model.embed_tokens.weight"][1]); }), config), 3);
        QVERIFY2(message.find("model.embed_tokens.weight") != std::string::npos && message.find("[8, 7]") != std::string::npos, message.c_str());
        QCOMPARE(check(writeModel("m.safetensors", config, {}, "I32"), config), 4);
        QVERIFY2(message.find("I32") != std::string::npos, message.c_str());

        // A head is needed unless the embeddings are tied.
        const auto headless = writeModel("h.safetensors", config, [](auto& t, auto&) { t.erase("lm_head.weight"); });
        HfConfig tied = config;
        tied.tied = true;
        QCOMPARE(check(headless, config), 3);
        QVERIFY2(message.find("lm_head.weight") != std::string::npos, message.c_str());
        QCOMPARE(check(headless, tied, &report), 0);
        QCOMPARE(check(writeModel("m.safetensors", config), tied, &report), 0);
        QCOMPARE(report.used + 1, report.total);

        // Files of the base model alone leave the prefix out.
        const auto bare = writeModel("b.safetensors", tied, [](auto& t, auto& s) {
            Tensors renamed;
            for (auto& [name, values] : t) {
                renamed[name.substr(6)] = values;
                s[name.substr(6)] = s[name];
            }
            t = renamed;
        });
        QCOMPARE(check(bare, tied, &report), 0);
        QCOMPARE(report.prefix, std::string());

        QCOMPARE(checkVocabulary(7, config, "t").size(), std::size_t(0));
        QCOMPARE(checkVocabulary(5, config, "t").size(), std::size_t(1));
        QVERIFY_THROWS_EXCEPTION(Error, checkVocabulary(8, config, "t"));
    }

    void readsShardsByTheirIndex()
    {
        const float data[4] = {1, 2, 3, 4};
        const auto shard = [&](const std::string& name, const std::vector<std::string>& tensors) {
            SafetensorsWriter writer;
            for (const std::string& tensor : tensors)
                writer.add(tensor, "F32", {4}, data);
            fs::create_directories(path("sharded"));
            writer.write(path(name));
        };
        shard("sharded/one.safetensors", {"a", "b"});
        shard("sharded/two.safetensors", {"c"});
        shard("outside.safetensors", {"c"});
        std::string message;
        const auto open = [&](const std::string& index) {
            write("sharded/model.safetensors.index.json", index);
            return code([&] { TensorSet::open(path("sharded")); }, &message);
        };
        QCOMPARE(open(R"({"metadata":{"total_size":48},"weight_map":{"a":"one.safetensors","b":"one.safetensors","c":"two.safetensors"}})"), 0);
        const TensorSet set = TensorSet::open(path("sharded"));
        QCOMPARE(set.entries().size(), std::size_t(3));
        float read[4];
        set.read(*set.find("c"), read);
        QCOMPARE(read[3], 4.0f);
        QVERIFY(!set.find("d"));
        QCOMPARE(open(R"({"weight_map":{"a":"one.safetensors","c":"two.safetensors"}})"), 0);
        QCOMPARE(TensorSet::open(path("sharded")).notes().size(), std::size_t(1));

        QCOMPARE(open(R"({"weight_map":{"a":"one.safetensors","c":"../outside.safetensors"}})"), 3);
        QVERIFY2(message.find("../outside") != std::string::npos, message.c_str());
        for (const char* name : {"../x", "/etc/passwd", "a/b", "..", ".", "", "sub\\\\x", "x\\u0000.safetensors"})
            QCOMPARE(open(std::string(R"({"weight_map":{"a":")") + name + "\"}}"), 3);
        fs::create_symlink(path("outside.safetensors"), path("sharded/link.safetensors"));
        QCOMPARE(open(R"({"weight_map":{"c":"link.safetensors"}})"), 3);
        QVERIFY2(message.find("leaves the folder") != std::string::npos, message.c_str());
        QCOMPARE(open(R"({"weight_map":{"a":"one.safetensors","x":"gone1.safetensors","y":"gone2.safetensors"}})"), 3);
        QVERIFY2(message.find("gone1.safetensors, gone2.safetensors") != std::string::npos, message.c_str());
        QCOMPARE(open(R"({"weight_map":{"a":"one.safetensors","z":"two.safetensors"}})"), 3);
        QVERIFY2(message.find("\"z\"") != std::string::npos, message.c_str());
        shard("sharded/two.safetensors", {"c", "a"});
        QCOMPARE(open(R"({"weight_map":{"a":"one.safetensors","c":"two.safetensors"}})"), 3);
        QVERIFY2(message.find("\"a\"") != std::string::npos, message.c_str());
        QCOMPARE(open(R"({"weight_map":{"a":"one.safetensors","a":"two.safetensors"}})"), 3);
        QCOMPARE(open(R"({"weight_map":{}})"), 3);
        QCOMPARE(open(R"({"weight_map":[]})"), 3);
        QCOMPARE(open(R"({"weight_map":{"a":5}})"), 3);
        QCOMPARE(open("[]"), 3);
        QCOMPARE(open("{"), 3);
        write("sharded/two.safetensors", "garbage");
        QCOMPARE(open(R"({"weight_map":{"a":"one.safetensors","c":"two.safetensors"}})"), 3);
        QVERIFY2(message.find("two.safetensors") != std::string::npos, message.c_str());
        fs::create_directory(path("nothing"));
        QCOMPARE(code([&] { TensorSet::open(path("nothing")); }), 3);
    }

    void refusesPickles()
    {
        std::string message;
        const std::string pickle2("\x80\x02}q\x00.", 6);
        for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
                 {"a.bin", pickle2}, {"a.pt", "PK\x03\x04 archive/data.pkl"}, {"a.pth", "anything"}, {"a.ckpt", std::string("\x80\x04\x95", 3)}, {"renamed.safetensors", pickle2},
                 {"zip.safetensors", "PK\x03\x04 archive/data.pkl"}, {"text.safetensors", "ctorch._utils\n_rebuild"}, {"noname", pickle2}}) {
            write("p/" + name, bytes);
            QCOMPARE(code([&] { TensorSet::open(path("p/" + name)); }, &message), 4);
            QVERIFY2(message.find("safetensors") != std::string::npos && message.find(name) != std::string::npos, message.c_str());
        }
        write("folder/pytorch_model.bin", pickle2);
        QCOMPARE(code([&] { TensorSet::open(path("folder")); }, &message), 4);
        write("folder2/pytorch_model.bin.index.json", "{}");
        QCOMPARE(code([&] { TensorSet::open(path("folder2")); }, &message), 4);
    }
};

QTEST_GUILESS_MAIN(TestHfWeights)
#include "tst_interop_hf_weights.moc"
