#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/project.h"
#include "core/interop/hf_weights.h"
#include "core/interop/inspect.h"
#include "core/interop/safetensors_writer.h"
#include "core/interop/stored_frequencies.h"
#include "tests/temporary_folder.h"

using namespace holo;
using namespace holo::interop;
namespace fs = std::filesystem;

namespace {

Json llamaConfig()
{
    return Json::parse(R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":16,"intermediate_size":24,"num_hidden_layers":1,"num_attention_heads":2,
        "num_key_value_heads":1,"vocab_size":10,"max_position_embeddings":64,"rms_norm_eps":1e-6,"hidden_act":"silu","rope_theta":10000.0,"tie_word_embeddings":false})");
}

std::uint16_t toHalf(float value)  // of numbers in [2^-14, 2)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value) + 0x1000;  // rounds to nearest
    return std::uint16_t((((bits >> 23) - 112) << 10) | ((bits >> 13) & 1023));
}

}  // namespace

class TestInspect : public QObject, private test::TemporaryFolder {
    Q_OBJECT

private:
    // A Hugging Face folder; `frequencies` become a stored buffer.
    fs::path model(const std::string& name, const Json& config, const std::vector<float>& frequencies = {}, bool half = false) const
    {
        fs::create_directories(path(name));
        std::ofstream(path(name) / "config.json") << dumpPretty(config);
        static std::vector<float> weights(4096, 0.5f);
        SafetensorsWriter writer;
        std::set<std::string> done;
        for (const RowGather& target : importPlan(parseHfConfig(llamaConfig(), "c")))
            for (const RowGather::Part& part : target.parts)
                if (done.insert(part.source).second)
                    writer.add(part.source, "F32", part.sourceShape, weights.data());
        std::vector<std::uint16_t> narrow;
        for (const float value : frequencies)
            narrow.push_back(toHalf(value));
        if (!frequencies.empty())
            writer.add("model.layers.0.self_attn.rotary_emb.inv_freq", half ? "F16" : "F32", {std::int64_t(frequencies.size())}, half ? static_cast<const void*>(narrow.data()) : frequencies.data());
        writer.setMetadata("format", "pt");
        writer.write(path(name) / "model.safetensors");
        return path(name);
    }

    static std::vector<float> standard(double base)
    {
        std::vector<float> theta;
        for (int j = 0; j < 4; ++j)
            theta.push_back(float(std::pow(base, -j / 4.0)));
        return theta;
    }

private Q_SLOTS:
    void describesAForeignModel()
    {
        const Json json = inspectCheckpoint(model("plain", llamaConfig(), standard(10000)));
        QCOMPARE(json["family"].get<std::string>(), std::string("llama"));
        QCOMPARE(json["pairing"].get<std::string>(), std::string("half"));
        QCOMPARE(json["config"]["head_dim"].get<int>(), 8);
        QVERIFY(json["conflicts"].empty());
        QCOMPARE(json["ladder"]["theta"].size(), std::size_t(4));
        QCOMPARE(json["ladder"]["theta"][1].get<double>(), std::pow(10000.0, -0.25));
        QCOMPARE(json["ladder"]["base"].get<double>(), 10000.0);
        QCOMPARE(json["metadata"]["format"].get<std::string>(), std::string("pt"));
        // embed + head 2·160, norms 3·16, q 256, k and v 2·128, out 256, mlp 3·384
        QCOMPARE(json["parameters"].get<int>(), 320 + 48 + 256 + 256 + 256 + 1152);
        QCOMPARE(json["tensors"].get<int>(), 13);
        QCOMPARE(inspectCheckpoint(path("plain/model.safetensors"))["family"].get<std::string>(), std::string("llama"));
    }

    void showsFrequenciesThatContradictTheConfig()
    {
        Json config = llamaConfig();
        config["rope_theta"] = 500000;
        const Json json = inspectCheckpoint(model("conflict", config, standard(10000)));
        QCOMPARE(json["conflicts"].size(), std::size_t(1));
        const auto message = json["conflicts"][0]["message"].get<std::string>();
        QVERIFY2(message.find("plane 1: 0.1") != std::string::npos && message.find("0.0376") != std::string::npos, message.c_str());
        QCOMPARE(json["ladder"]["base"].get<double>(), 500000.0);
        QVERIFY_THROWS_EXCEPTION(Error, refuseOtherFrequencies(TensorSet::open(path("conflict")), {1, 0.5, 0.25, 0.125}));

        // What rounding to the stored type leaves is no conflict; one in a thousand is.
        QVERIFY(inspectCheckpoint(model("half", llamaConfig(), standard(10000), true))["conflicts"].empty());
        std::vector<float> off = standard(10000);
        off[2] *= 1.001f;
        QCOMPARE(inspectCheckpoint(model("off", llamaConfig(), off))["conflicts"].size(), std::size_t(1));
        off[2] = standard(10000)[2] * 1.0000005f;
        QVERIFY(inspectCheckpoint(model("near", llamaConfig(), off))["conflicts"].empty());
        off[2] = std::numeric_limits<float>::quiet_NaN();
        QCOMPARE(inspectCheckpoint(model("nan", llamaConfig(), off))["conflicts"].size(), std::size_t(1));
        QCOMPARE(inspectCheckpoint(model("fewer", llamaConfig(), {1, 0.1f}))["conflicts"].size(), std::size_t(1));
    }

    void listsSettingsThatContradictEachOther()
    {
        Json config = llamaConfig();
        config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 500000}};
        const Json json = inspectCheckpoint(model("contradiction", config));
        QCOMPARE(json["conflicts"].size(), std::size_t(1));
        const auto fields = json["conflicts"][0]["fields"].get<std::string>();
        QVERIFY2(fields.find("rope_theta") != std::string::npos && fields.find("rope_parameters.rope_theta") != std::string::npos, fields.c_str());
        QVERIFY(json["ladder"].is_null());

        // What is broken rather than contradictory is refused.
        config = llamaConfig();
        config["rope_scaling"] = {{"rope_type", "linear"}};
        model("broken", config);
        QVERIFY_THROWS_EXCEPTION(Error, inspectCheckpoint(path("broken")));
        config["rope_scaling"] = {{"rope_type", "quantum"}, {"factor", 2}};
        model("unknown", config);
        try {
            inspectCheckpoint(path("unknown"));
            QFAIL("accepted");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), ErrorKind::Unsupported);
        }
        config = llamaConfig();
        config["vocab_size"] = 11;
        QCOMPARE(inspectCheckpoint(model("shape", config))["conflicts"].size(), std::size_t(1));
    }

    void readsWeightsWithoutAConfig()
    {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const float inf = std::numeric_limits<float>::infinity();
        const std::vector<float> values{1, nan, inf, -inf, 0, -0.0f};
        const std::vector<std::uint16_t> halves{0x7C00, 0x3C00, 0xFE00};
        SafetensorsWriter writer;
        writer.add("a", "F32", {2, 3}, values.data());
        writer.add("b", "F16", {3}, halves.data());
        writer.add("c", "BF16", {3}, halves.data());
        writer.add("d", "I8", {2}, "xy");
        writer.setMetadata("trained_with", R"({"kind":"mobius","context":512})");
        writer.setMetadata("runs_with", "standard");
        fs::create_directories(path("bare"));
        writer.write(path("bare/x.safetensors"));
        const Json json = inspectCheckpoint(path("bare/x.safetensors"), true);
        QVERIFY(json["family"].is_null() && json["config"].is_null() && json["ladder"].is_null());
        QCOMPARE(json["trained_with"]["kind"].get<std::string>(), std::string("mobius"));
        QCOMPARE(json["runs_with"].get<std::string>(), std::string("standard"));
        const Json& tensors = json["tensors"];
        QCOMPARE(tensors.size(), std::size_t(4));
        QCOMPARE(tensors[0]["nonfinite"].get<int>(), 3);
        QCOMPARE(tensors[1]["nonfinite"].get<int>(), 2);
        QCOMPARE(tensors[2]["nonfinite"].get<int>(), 0);
        QVERIFY(tensors[3]["nonfinite"].is_null());
        QCOMPARE(tensors[0]["bytes"].get<int>(), 24);
        QCOMPARE(tensors[0]["shape"], Json({2, 3}));
        QCOMPARE(tensors[3]["sha256"].get<std::string>(), sha256("xy"));
        QVERIFY_THROWS_EXCEPTION(Error, inspectCheckpoint(path("bare")));
        QVERIFY_THROWS_EXCEPTION(Error, inspectCheckpoint(path("missing.safetensors")));
    }

    void readsOurOwnCheckpoints()
    {
        config::RunSpec spec;
        spec.project = "p";
        spec.arm = "a";
        spec.scheme.kind = ladder::Kind::Mobius;
        const config::ModelSpec resolved = config::resolved(spec.model, 50);
        const ladder::Plan plan = ladder::resolve(spec.scheme, config::modelShape(resolved, spec.seed));
        Json header = {{"format", 1}, {"run", "r"}, {"step", 12}, {"tokens", 345}, {"vocab", 50}, {"data_hash", "h"},
                       {"ladders", Json::array({{{"name", plan.ladders[0].name}, {"kind", "mobius"}, {"hash", plan.ladders[0].hash}}})}, {"spec", config::toJson(spec)}};
        const float one = 1;
        const auto write = [&] {
            SafetensorsWriter writer;
            writer.setMetadata("holonomy", dumpLine(header));
            writer.add("embed.weight", "F32", {1}, &one);
            writer.write(path("own.safetensors"));
            return inspectCheckpoint(path("own.safetensors"));
        };
        const Json json = write();
        QCOMPARE(json["family"].get<std::string>(), std::string("holonomy"));
        QCOMPARE(json["step"].get<int>(), 12);
        QCOMPARE(json["trained_with"], json["scheme"]);
        QVERIFY(json["conflicts"].empty());
        QCOMPARE(json["ladder"]["theta"].size(), std::size_t(4));
        QVERIFY(std::abs(json["ladder"]["theta"][0].get<double>() - 3.14159265358979 / 256) < 1e-15);
        header["ladders"][0]["hash"] = "another";
        QCOMPARE(write()["conflicts"].size(), std::size_t(1));
        for (const Json& broken : {Json(nullptr), Json(5), Json::parse(R"({"model":{"style":"no such style"}})"), Json::parse(R"({"nonsense":1})")}) {
            header["spec"] = broken;
            try {
                write();
                QFAIL("accepted");
            } catch (const Error& e) {
                QCOMPARE(e.kind(), ErrorKind::Malformed);
            }
        }
        header.erase("spec");
        QVERIFY_THROWS_EXCEPTION(Error, write());
    }
};

QTEST_GUILESS_MAIN(TestInspect)
#include "tst_interop_inspect.moc"
