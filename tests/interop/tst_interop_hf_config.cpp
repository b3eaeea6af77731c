#include <QtTest>

#include <functional>
#include <random>

#include "core/base/error.h"
#include "core/interop/hf_config.h"
#include "core/interop/hf_rope_writer.h"
#include "core/interop/hf_spec.h"

using namespace holo;
using namespace holo::interop;
using ladder::Kind;

namespace {

Json llama()
{
    return Json::parse(R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":48,"intermediate_size":128,"num_hidden_layers":2,"num_attention_heads":3,
        "num_key_value_heads":3,"vocab_size":100,"max_position_embeddings":384,"rms_norm_eps":1e-6,"hidden_act":"silu","rope_theta":10000.0,"tie_word_embeddings":false,"torch_dtype":"float32"})");
}

Json neox()
{
    return Json::parse(R"({"architectures":["GPTNeoXForCausalLM"],"model_type":"gpt_neox","hidden_size":48,"intermediate_size":192,"num_hidden_layers":2,"num_attention_heads":3,"vocab_size":100,
        "max_position_embeddings":384,"layer_norm_eps":1e-5,"hidden_act":"gelu","rotary_emb_base":10000,"rotary_pct":0.25,"use_parallel_residual":true,"tie_word_embeddings":false})");
}

Json with(Json base, const char* merged)
{
    const Json changes = Json::parse(merged);
    for (const auto& [key, value] : changes.items())
        base[key] = value;
    return base;
}

ladder::Ladder ladderOf(const std::vector<double>& thetas)
{
    ladder::Ladder ladder;
    ladder.theta = thetas;
    ladder.context = 384;
    return ladder;
}

double parameter(const ladder::Scheme& scheme, const char* key) { return std::get<double>(scheme.parameters.at(key)); }

}  // namespace

class TestHfConfig : public QObject {
    Q_OBJECT

private:
    static int code(const Json& json, std::string* message = nullptr)
    {
        try {
            parseHfConfig(json, "config.json");
            return 0;
        } catch (const Error& e) {
            if (message)
                *message = e.what();
            return exitCode(e.kind());
        }
    }

    static bool noted(const HfConfig& config, const char* text)
    {
        return std::any_of(config.notes.begin(), config.notes.end(), [&](const std::string& note) { return note.find(text) != std::string::npos; });
    }

private Q_SLOTS:
    void readsFamilies()
    {
        const HfConfig pythia = parseHfConfig(neox(), "c");
        QCOMPARE(pythia.style, std::string("neox"));
        QCOMPARE(pythia.headDim, 16);
        QCOMPARE(pythia.rotaryDim, 4);
        QCOMPARE(pythia.kvHeads, 3);
        QVERIFY(pythia.parallelResidual && pythia.qkvBias && pythia.outputBias && pythia.mlpBias && !pythia.tied);
        QVERIFY(pythia.unsupported.empty());
        QVERIFY(noted(pythia, "head_dim is"));
        requireSupported(pythia, "c");

        const HfConfig grouped = parseHfConfig(with(llama(), R"({"num_attention_heads":6,"num_key_value_heads":2,"head_dim":16,"rms_norm_eps":1e-5})"), "c");
        QCOMPARE(grouped.headDim, 16);
        QCOMPARE(grouped.kvHeads, 2);
        QCOMPARE(grouped.normEps, 1e-5);
        QVERIFY(!grouped.qkvBias && !grouped.mlpBias && grouped.unsupported.empty());

        const HfConfig qwen = parseHfConfig(with(llama(), R"({"model_type":"qwen2","architectures":["Qwen2ForCausalLM"],"use_sliding_window":false,"sliding_window":128,"max_window_layers":2})"), "c");
        QVERIFY(qwen.qkvBias && !qwen.outputBias && qwen.window == 0);
        requireSupported(qwen, "c");
        const HfConfig window = parseHfConfig(with(llama(), R"({"model_type":"mistral","architectures":["MistralForCausalLM"],"sliding_window":128})"), "c");
        QCOMPARE(window.rope.kind, Kind::Window);
        QCOMPARE(parameter(window.rope, "size"), 128.0);
        QCOMPARE(parseHfConfig(with(llama(), R"({"mlp_bias":true})"), "c").unsupported.size(), std::size_t(1));
        QCOMPARE(parseHfConfig(with(llama(), R"({"model_type":"mistral","architectures":["MistralForCausalLM"],"sliding_window":128})"), "c").window, std::int64_t(128));
        QVERIFY(parseHfConfig(with(llama(), R"({"model_type":"mistral","architectures":["MistralForCausalLM"],"sliding_window":null})"), "c").unsupported.empty());
        QCOMPARE(parseHfConfig(with(llama(), R"({"model_type":"olmo","architectures":["OlmoForCausalLM"]})"), "c").norm, std::string("layernorm-plain"));
        QVERIFY(noted(parseHfConfig(with(llama(), R"({"model_type":null})"), "c"), "model_type is not stated"));
        QVERIFY(noted(parseHfConfig(with(llama(), R"({"my_key":1})"), "c"), "my_key"));
        for (const char* odd : {R"({"hidden_act":"gelu_new"})", R"({"attention_bias":false})", R"({"quantization_config":{}})"})
            QCOMPARE(parseHfConfig(with(neox(), odd), "c").unsupported.size(), std::size_t(1));
    }

    void everySpellingOfOneLadder()
    {
        const auto scheme = [](const Json& json) { return parseHfConfig(json, "c").rope; };
        const auto same = [&](const std::vector<const char*>& spellings, Kind kind, const Json& base) {
            const auto first = scheme(with(base, spellings.front()));
            QCOMPARE(first.kind, kind);
            for (const char* spelling : spellings) {
                const auto other = scheme(with(base, spelling));
                QVERIFY2(other.kind == first.kind && other.parameters == first.parameters, spelling);
            }
        };
        Json bare = llama();
        bare.erase("rope_theta");
        same({"{}", R"({"rope_scaling":null})", R"({"rope_scaling":{"rope_type":"default","rope_theta":10000}})", R"({"rope_parameters":{"rope_type":"default","rope_theta":10000}})",
              R"({"rope_parameters":{"rope_theta":10000.0}})", R"({"rope_theta":10000})", R"({"rope_scaling":{"type":"default"}})", R"({"rope_theta":1e4,"rope_parameters":{"rope_type":"default","factor":1.0}})"},
             Kind::Standard, bare);
        same({R"({"rope_scaling":{"type":"linear","factor":3}})", R"({"rope_scaling":{"rope_type":"linear","factor":3.0}})", R"({"rope_parameters":{"rope_type":"linear","factor":3.0,"rope_theta":10000}})",
              R"({"rope_scaling":{"rope_type":"linear","type":"linear","factor":3},"rope_parameters":{"rope_type":"linear","factor":3}})"},
             Kind::Linear, llama());
        same({R"({"rope_scaling":{"type":"yarn","factor":3,"original_max_position_embeddings":128}})", R"({"rope_scaling":{"type":"yarn","original_max_position_embeddings":128}})",
              R"({"rope_parameters":{"rope_type":"yarn","factor":3.0},"original_max_position_embeddings":128})", R"({"rope_parameters":{"rope_type":"yarn","factor":3.0,"original_max_position_embeddings":128,"truncate":true}})"},
             Kind::Yarn, llama());
        const char* const lists = R"("short_factor":[1,1,1,1,1,1,1,1],"long_factor":[1,2,3,4,5,6,7,8],"original_max_position_embeddings":128)";
        same({(std::string(R"({"rope_scaling":{"type":"longrope",)") + lists + "}}").c_str(), (std::string(R"({"rope_scaling":{"type":"su",)") + lists + "}}").c_str(),
              (std::string(R"({"rope_parameters":{"rope_type":"longrope","factor":3,)") + lists + "}}").c_str()},
             Kind::LongRope, llama());
        same({R"({"rotary_pct":0.25})", R"({"rotary_pct":null,"partial_rotary_factor":0.25})", R"({"rotary_pct":null,"rope_parameters":{"rope_type":"default","partial_rotary_factor":0.25,"rope_theta":10000}})",
              R"({"rotary_emb_base":null})", R"({"rotary_emb_base":null,"rope_theta":10000})"},
             Kind::Standard, neox());

        for (const double base : {500000.0, 1000000.0}) {
            Json json = llama();
            json["rope_theta"] = base;
            QCOMPARE(parameter(scheme(json), "base"), base);
        }
        QCOMPARE(scheme(with(neox(), R"({"rotary_pct":0})")).kind, Kind::Nope);
    }

    void readsParameters()
    {
        const auto scheme = [](const char* text) { return parseHfConfig(with(llama(), text), "c").rope; };
        const auto yarn = scheme(R"({"rope_scaling":{"type":"yarn","factor":3,"original_max_position_embeddings":128,"beta_fast":16,"beta_slow":2,"attention_factor":1.5,"truncate":false}})");
        QCOMPARE(parameter(yarn, "beta_fast"), 16.0);
        QCOMPARE(parameter(yarn, "attention_factor"), 1.5);
        QCOMPARE(std::get<std::string>(yarn.parameters.at("truncate")), std::string("no"));
        const auto scaled = scheme(R"({"rope_scaling":{"type":"yarn","factor":3,"original_max_position_embeddings":128,"mscale":1.0,"mscale_all_dim":0.8}})");
        QCOMPARE(parameter(scaled, "mscale_all_dim"), 0.8);
        QVERIFY(!scaled.parameters.contains("attention_factor"));
        const auto llama3 = scheme(R"({"rope_scaling":{"rope_type":"llama3","factor":8,"low_freq_factor":1,"high_freq_factor":4,"original_max_position_embeddings":64}})");
        QCOMPARE(llama3.kind, Kind::Llama3);
        QCOMPARE(parameter(llama3, "original"), 64.0);
        QCOMPARE(parameter(llama3, "high"), 4.0);
        const auto dynamic = scheme(R"({"rope_scaling":{"rope_type":"dynamic","factor":4}})");
        QCOMPARE(dynamic.kind, Kind::DynamicNtk);
        QCOMPARE(parameter(dynamic, "original"), 384.0);
        QCOMPARE(scheme(R"({"rope_scaling":{"rope_type":"ntk","factor":2}})").kind, Kind::Ntk);
        // A file that keeps the original length in max_position_embeddings, as Qwen's do.
        QCOMPARE(parameter(scheme(R"({"rope_scaling":{"type":"yarn","factor":4,"original_max_position_embeddings":384}})"), "factor"), 4.0);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("change");
        QTest::addColumn<bool>("isNeox");
        QTest::addColumn<int>("expected");
        QTest::addColumn<QStringList>("named");
        const auto row = [](const char* change, int expected, const QStringList& named, bool isNeox = false) {
            QTest::newRow(change) << QString(change) << isNeox << expected << named;
        };
        for (const char* key : {"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size", "max_position_embeddings"})
            for (const char* value : {"null", "-1", "0", "1.5", "\"48\"", "true", "[48]", "18446744073709551615", "1e99"})
                row(qPrintable(QString("{\"%1\":%2}").arg(key, value)), 3, {key});
        row(R"({"num_attention_heads":5})", 3, {"num_attention_heads", "hidden_size"});
        row(R"({"num_key_value_heads":2})", 3, {"num_key_value_heads", "num_attention_heads"});
        row(R"({"model_type":"mamba","architectures":["MambaForCausalLM"]})", 4, {"mamba"});
        row(R"({"model_type":"gpt2","architectures":null})", 4, {"gpt2"});
        row(R"({"model_type":"llama","architectures":["GPTNeoXForCausalLM"]})", 3, {"architectures", "model_type"});
        row(R"({"model_type":null,"architectures":null})", 3, {"model_type"});
        row(R"({"model_type":5})", 3, {"model_type"});
        row(R"({"rope_theta":0})", 3, {"rope_theta"});
        row(R"({"rope_theta":-10000})", 3, {"rope_theta"});
        row(R"({"rope_theta":"10000"})", 3, {"rope_theta"});
        row(R"({"rope_theta":1})", 3, {"rope_theta"});
        row(R"({"rope_theta":500000,"rope_parameters":{"rope_type":"default","rope_theta":10000}})", 3, {"rope_theta", "rope_parameters.rope_theta", "5e+05"});
        row(R"({"rope_scaling":"linear"})", 3, {"rope_scaling"});
        row(R"({"rope_scaling":[]})", 3, {"rope_scaling"});
        row(R"({"rope_scaling":{"factor":3}})", 3, {"rope_scaling.factor", "rope_type"});
        row(R"({"rope_scaling":{"rope_type":"default","factor":3}})", 3, {"rope_scaling.factor"});
        row(R"({"rope_scaling":{"rope_type":"default","short_factor":[1]}})", 3, {"short_factor"});
        row(R"({"rope_scaling":{"rope_type":"linear"}})", 3, {"rope_scaling.factor"});
        row(R"({"rope_scaling":{"rope_type":"linear","factor":null}})", 3, {"rope_scaling.factor"});
        row(R"({"rope_scaling":{"rope_type":"linear","factor":0.5}})", 3, {"rope_scaling.factor", "0.5"});
        row(R"({"rope_scaling":{"rope_type":"linear","factor":0}})", 3, {"rope_scaling.factor"});
        row(R"({"rope_scaling":{"rope_type":"linear","factor":"3"}})", 3, {"rope_scaling.factor"});
        row(R"({"rope_scaling":{"rope_type":"linear","factor":true}})", 3, {"rope_scaling.factor"});
        row(R"({"rope_scaling":{"rope_type":"linear","type":"dynamic","factor":3}})", 3, {"rope_type", "type", "dynamic"});
        row(R"({"rope_scaling":{"rope_type":5,"factor":3}})", 3, {"rope_type"});
        row(R"({"rope_scaling":{"rope_type":"quantum","factor":3}})", 4, {"quantum"});
        row(R"({"rope_scaling":{"type":"mrope","mrope_section":[1,2]}})", 4, {"mrope"});
        row(R"({"rope_scaling":{"rope_type":"Linear","factor":3}})", 4, {"Linear"});
        row(R"({"rope_scaling":{"type":"linear","factor":3},"rope_parameters":{"rope_type":"default"}})", 3, {"rope_scaling", "rope_parameters"});
        row(R"({"rope_scaling":{"type":"linear","factor":3},"rope_parameters":{"rope_type":"linear","factor":2}})", 3, {"rope_scaling", "rope_parameters"});
        row(R"({"rope_parameters":{"full_attention":{"rope_type":"default"}}})", 4, {"full_attention"});
        row(R"({"rope_scaling":{"rope_type":"yarn","factor":4,"original_max_position_embeddings":128}})", 3, {"original_max_position_embeddings", "max_position_embeddings", "384"});
        row(R"({"rope_scaling":{"rope_type":"yarn"}})", 3, {"factor"});
        row(R"({"rope_scaling":{"rope_type":"yarn","factor":3,"original_max_position_embeddings":128,"beta_fast":1,"beta_slow":32}})", 3, {"beta_fast", "beta_slow"});
        row(R"({"rope_scaling":{"rope_type":"yarn","factor":3,"original_max_position_embeddings":128,"attention_factor":0}})", 3, {"attention_factor"});
        row(R"({"rope_scaling":{"rope_type":"yarn","factor":3,"original_max_position_embeddings":-1}})", 3, {"original_max_position_embeddings"});
        row(R"({"original_max_position_embeddings":64,"rope_scaling":{"rope_type":"yarn","factor":3,"original_max_position_embeddings":128}})", 3, {"original_max_position_embeddings"});
        row(R"({"rope_scaling":{"rope_type":"longrope","factor":3,"original_max_position_embeddings":128,"short_factor":[1,1,1,1,1,1,1,1]}})", 3, {"long_factor"});
        row(R"({"rope_scaling":{"rope_type":"longrope","factor":3,"original_max_position_embeddings":128,"short_factor":[1,1,1],"long_factor":[1,1,1]}})", 3, {"short_factor", "8"});
        row(R"({"rope_scaling":{"rope_type":"longrope","factor":3,"original_max_position_embeddings":128,"short_factor":[1,1,1,1,1,1,1,0],"long_factor":[1,1,1,1,1,1,1,1]}})", 3, {"short_factor"});
        row(R"({"rope_scaling":{"rope_type":"longrope","factor":3,"original_max_position_embeddings":128,"short_factor":5,"long_factor":5}})", 3, {"short_factor"});
        row(R"({"rope_scaling":{"rope_type":"llama3","factor":8,"low_freq_factor":1,"high_freq_factor":4}})", 3, {"original_max_position_embeddings"});
        row(R"({"rope_scaling":{"rope_type":"llama3","factor":8,"low_freq_factor":4,"high_freq_factor":4,"original_max_position_embeddings":64}})", 3, {"high_freq_factor", "low_freq_factor"});
        row(R"({"rope_scaling":{"rope_type":"llama3","factor":8,"high_freq_factor":4,"original_max_position_embeddings":64}})", 3, {"low_freq_factor"});
        row(R"({"rotary_pct":0.2})", 3, {"rotary width", "3"}, true);
        row(R"({"rotary_pct":1.5})", 3, {"rotary_pct"}, true);
        row(R"({"rotary_pct":-0.5})", 3, {"rotary_pct"}, true);
        row(R"({"partial_rotary_factor":0.5})", 3, {"partial_rotary_factor", "rotary_pct"}, true);
        row(R"({"rope_theta":20000})", 3, {"rope_theta", "rotary_emb_base"}, true);
        row(R"({"head_dim":32})", 3, {"head_dim"}, true);
    }

    void refuses()
    {
        QFETCH(QString, change);
        QFETCH(bool, isNeox);
        QFETCH(int, expected);
        QFETCH(QStringList, named);
        std::string message;
        QCOMPARE(code(with(isNeox ? neox() : llama(), change.toUtf8().constData()), &message), expected);
        for (const QString& part : named)
            QVERIFY2(QString::fromStdString(message).contains(part), message.c_str());
        QVERIFY(message.starts_with("config.json: "));
    }

    void writesAnyUniformLadder()
    {
        const int planes = 8;
        std::vector<double> mobius;
        for (int i = 0; i < planes; ++i)
            mobius.push_back(3.14159265358979323846 * (2 * i + 1) / 384);
        const HfConfig back = parseHfConfig(with(llama(), dumpLine(hfRopeFields(ladderOf(mobius), 10000, 384, 1)).c_str()), "c");
        QCOMPARE(back.rope.kind, Kind::LongRope);
        const auto& divisors = std::get<std::vector<double>>(back.rope.parameters.at("short"));
        for (int i = 0; i < planes; ++i) {
            const double theta = 1 / (divisors[std::size_t(i)] * std::pow(10000.0, double(i) / planes));
            QVERIFY2(std::abs(theta - mobius[std::size_t(i)]) <= 4e-16 * mobius[std::size_t(i)], "a frequency did not come back");
        }
        const ladder::Plan plan = ladder::resolve(back.rope, shapeOf(back));
        for (int i = 0; i < planes; ++i)
            QVERIFY(std::abs(plan.ladders[0].theta[std::size_t(i)] - mobius[std::size_t(i)]) <= std::nextafter(mobius[std::size_t(i)], 10) - mobius[std::size_t(i)]);
        std::vector<double> standard;
        for (int i = 0; i < planes; ++i)
            standard.push_back(std::pow(10000.0, -double(i) / planes));
        QCOMPARE(parseHfConfig(with(llama(), dumpLine(hfRopeFields(ladderOf(standard), 10000, 384, 1)).c_str()), "c").rope.kind, Kind::Standard);
        QVERIFY_THROWS_EXCEPTION(Error, hfRopeFields(ladderOf({0.1, 0}), 10000, 384, 1));
    }

    void ownSchemeBesideTheRopeSettings()
    {
        ladder::Scheme mobius;
        mobius.kind = Kind::Mobius;
        const ladder::Plan plan = ladder::resolve(mobius, shapeOf(parseHfConfig(llama(), "c")));
        Json json = with(llama(), dumpLine(hfRopeFields(plan.ladders[0], 10000, 384, 1)).c_str());
        json["holonomy"] = {{"scheme", "mobius"}};
        const HfConfig back = parseHfConfig(json, "c");
        QCOMPARE(back.rope.kind, Kind::Mobius);
        QCOMPARE(ladder::resolve(back.rope, shapeOf(back)).ladders[0].theta, plan.ladders[0].theta);
        std::string message;
        json["holonomy"] = {{"scheme", "periodic"}};
        QCOMPARE(code(json, &message), 3);
        QVERIFY2(message.find("holonomy.scheme") != std::string::npos && message.find("rope_parameters") != std::string::npos, message.c_str());
        json["holonomy"] = 3;
        QCOMPARE(code(json), 3);
    }

    void writesWhatItReads()
    {
        for (const Json& original : {llama(), neox(), with(llama(), R"({"num_attention_heads":6,"num_key_value_heads":2,"head_dim":8,"rope_theta":500000,"tie_word_embeddings":true})"),
                                     with(neox(), R"({"rotary_pct":1.0,"use_parallel_residual":false})"), with(neox(), R"({"rotary_pct":0})"), with(llama(), R"({"attention_bias":true,"mlp_bias":true})"),
                                     with(llama(), R"({"model_type":"qwen2","architectures":["Qwen2ForCausalLM"]})"), with(llama(), R"({"model_type":"olmo","architectures":["OlmoForCausalLM"]})"),
                                     with(llama(), R"({"model_type":"mistral","architectures":["MistralForCausalLM"],"sliding_window":128})")}) {
            const HfConfig config = parseHfConfig(original, "c");
            const config::ModelSpec model = modelSpecOf(config, "c");
            ladder::Plan plan = ladder::resolve(config.rope, shapeOf(config));
            const HfConfig back = parseHfConfig(hfConfigJson(hfConfigOf(model, plan), model, plan), "c");
            QVERIFY(back.family == config.family && back.layers == config.layers && back.hidden == config.hidden && back.heads == config.heads && back.kvHeads == config.kvHeads);
            QVERIFY(back.headDim == config.headDim && back.mlp == config.mlp && back.vocab == config.vocab && back.context == config.context && back.rotaryDim == config.rotaryDim);
            QVERIFY(back.normEps == config.normEps && back.tied == config.tied && back.unsupported.empty() && back.norm == config.norm && back.window == config.window);
            QVERIFY(back.parallelResidual == config.parallelResidual && back.qkvBias == config.qkvBias && back.outputBias == config.outputBias && back.mlpBias == config.mlpBias);
            QVERIFY(back.rope.kind == config.rope.kind && back.rope.parameters == config.rope.parameters);
            for (double& theta : plan.ladders[0].theta)
                theta *= 0.7;
            if (config.rotaryDim > 0 && config.window == 0)
                QCOMPARE(parseHfConfig(hfConfigJson(hfConfigOf(model, plan), model, plan), "c").rope.kind, Kind::LongRope);
        }
    }

    void refusesByNameWhatNoFamilyHolds()
    {
        const HfConfig config = parseHfConfig(llama(), "c");
        const ladder::Plan plan = ladder::resolve(config.rope, shapeOf(config));
        const auto refusal = [&](const std::function<void(config::ModelSpec&, ladder::Plan&)>& change) {
            config::ModelSpec model = modelSpecOf(config, "c");
            ladder::Plan changed = plan;
            change(model, changed);
            try {
                hfConfigOf(model, changed);
            } catch (const Error& problem) {
                return problem.kind() == ErrorKind::Unsupported ? problem.place().field : std::string("another kind");
            }
            return std::string();
        };
        QCOMPARE(refusal([](config::ModelSpec&, ladder::Plan&) {}), std::string());
        QCOMPARE(refusal([](config::ModelSpec& m, ladder::Plan&) { m.qkNorm = "rms"; }), std::string("model.qk_norm"));
        QCOMPARE(refusal([](config::ModelSpec& m, ladder::Plan&) { m.residual = "parallel"; }), std::string("model.residual"));
        QCOMPARE(refusal([](config::ModelSpec& m, ladder::Plan&) { m.norm = "layernorm"; }), std::string("model.norm"));
        QCOMPARE(refusal([](config::ModelSpec& m, ladder::Plan&) { m.style = "neox", m.kvHeads = 1; }), std::string("model.kv_heads"));
        QCOMPARE(refusal([](config::ModelSpec&, ladder::Plan& p) { p.shape.rotaryDim = 4; }), std::string("model.rotary_pct"));
        QCOMPARE(refusal([](config::ModelSpec&, ladder::Plan& p) { p.heads[0][1].slope = 1; }), std::string("scheme"));
    }

    void mutatedConfigsOnlyEverThrow()
    {
        std::mt19937 random(29);
        const std::string seeds[] = {dumpLine(with(llama(), R"({"rope_scaling":{"rope_type":"yarn","factor":3,"original_max_position_embeddings":128,"beta_fast":32}})")), dumpLine(neox())};
        const char* const values[] = {"null", "true", "-1", "0", "1e308", "[]", "{}", "\"x\"", "18446744073709551615", "0.5", "[1,null]"};
        int accepted = 0;
        for (int trial = 0; trial < 3000; ++trial) {
            std::string text = seeds[trial % 2];
            for (int edits = 1 + int(random() % 3); edits > 0; --edits) {
                const std::size_t at = random() % text.size();
                if (random() % 2) {  // a value replaced by another kind of value
                    const auto colon = text.find(':', at);
                    if (colon != std::string::npos)
                        text.replace(colon + 1, text.find_first_of(",}", colon) - colon - 1, values[random() % std::size(values)]);
                } else {
                    text[at] = "0123456789,:[]{}\"ae-._"[random() % 22];
                }
            }
            try {
                parseHfConfig(parseJson(text, "fuzz"), "fuzz");
                ++accepted;
            } catch (const Error& e) {
                QVERIFY2(e.kind() == ErrorKind::Malformed || e.kind() == ErrorKind::Unsupported, e.what());
            }
        }
        QVERIFY(accepted > 0 && accepted < 2500);
    }
};

QTEST_GUILESS_MAIN(TestHfConfig)
#include "tst_interop_hf_config.moc"
