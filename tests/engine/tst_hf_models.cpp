// Models as transformers saves them (fixtures/make_hf_fixtures.py): logits, import, export and the refusals in between.
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/scheme_json.h"
#include "core/interop/dtype.h"
#include "core/interop/hf_config.h"
#include "core/interop/safetensors.h"
#include "core/interop/safetensors_writer.h"
#include "core/interop/tensor_values.h"
#include "core/run/hf_export.h"
#include "core/run/hf_import.h"
#include "core/run/load_transformer.h"
#include "core/run/model_access.h"
#include "test_paths.h"

using namespace holo;
namespace fs = std::filesystem;

namespace {

const fs::path kFixtures = HOLO_SOURCE_DIR "/tests/interop/fixtures/hf";
const char* const kModels[] = {"neox-parallel", "neox-sequential", "neox-half", "llama-grouped", "llama-tied", "llama-bfloat", "llama-biases", "llama-sharded",
                               "llama-linear", "llama-dynamic", "llama-yarn", "llama-llama3", "llama-longrope", "mistral-window", "qwen2", "olmo"};

struct Reference {
    std::vector<std::int64_t> tokens, positions;
    std::vector<std::vector<double>> logits;
};

Reference reference(const std::string& model)
{
    const Json json = readJsonFile(kFixtures / model / "logits.json");
    return {json.at("tokens").get<std::vector<std::int64_t>>(), json.at("positions").get<std::vector<std::int64_t>>(), json.at("logits").get<std::vector<std::vector<double>>>()};
}

template <class Rows>
double worst(const std::vector<std::vector<float>>& got, const Rows& wanted)
{
    double result = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
        for (std::size_t v = 0; v < got[i].size(); ++v)
            result = std::max(result, std::abs(double(got[i][v]) - double(wanted.at(i).at(v))));
    return result;
}

std::vector<std::vector<float>> logitsOf(const fs::path& checkpoint, const Reference& wanted, const std::string& scheme = {})
{
    return run::openModel(checkpoint, {scheme, 1, "fp32"})->logits(wanted.tokens, wanted.positions);
}

}  // namespace

class TestHfModels : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_count = 0;

    fs::path fresh() { return fs::path(m_folder.path().toStdString()) / ("f" + std::to_string(++m_count)); }

    fs::path copyOf(const std::string& model)
    {
        const fs::path target = fresh();
        fs::copy(kFixtures / model, target, fs::copy_options::recursive);
        return target;
    }

    static void changeConfig(const fs::path& folder, const Json& changes)
    {
        Json config = readJsonFile(folder / "config.json");
        for (const auto& [key, value] : changes.items())
            config[key] = value;
        writeFileAtomic(folder / "config.json", dumpPretty(config));
    }

    // The weights once more, with one tensor left out, renamed, cut or added.
    static void rewrite(const fs::path& folder, const std::string& drop, const std::string& add = {}, std::vector<std::int64_t> addShape = {}, const std::vector<float>& values = {})
    {
        const auto file = interop::SafetensorsFile::open(folder / "model.safetensors");
        std::vector<std::vector<char>> bytes;
        bytes.reserve(file.tensors().size());
        interop::SafetensorsWriter writer;
        for (const auto& info : file.tensors()) {
            if (info.name == drop)
                continue;
            bytes.emplace_back(std::size_t(info.bytes()));
            file.read(info, bytes.back().data());
            writer.add(info.name, info.dtype, info.shape, bytes.back().data());
        }
        if (!add.empty())
            writer.add(add, "F32", addShape, values.data());
        writer.write(folder / "model.safetensors");
    }

    static int importCode(const fs::path& source, const fs::path& destination, std::string* message = nullptr)
    {
        try {
            run::importHf(source, destination, interop::StoredFrequencies::Refuse);
            return 0;
        } catch (const Error& problem) {
            if (message)
                *message = problem.what();
            return exitCode(problem.kind());
        }
    }

    static bool noted(const Json& document, const std::string& text)
    {
        for (const Json& note : document.at("notes"))
            if (note.get<std::string>().find(text) != std::string::npos)
                return true;
        return false;
    }

private Q_SLOTS:
    void logitsAreThoseOfTransformers_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : kModels)
            QTest::newRow(model) << QString(model);
    }
    void logitsAreThoseOfTransformers()
    {
        QFETCH(const QString, model);
        const Reference wanted = reference(model.toStdString());
        const double direct = worst(logitsOf(kFixtures / model.toStdString(), wanted), wanted.logits);
        QVERIFY2(direct <= 1e-4, qPrintable(QString::number(direct)));

        const fs::path imported = fresh();
        const Json document = run::importHf(kFixtures / model.toStdString(), imported, interop::StoredFrequencies::Refuse);
        QCOMPARE(document["tensors"]["used"], document["tensors"]["total"]);
        QVERIFY(noted(document, "tensors used"));
        QCOMPARE(logitsOf(imported, wanted), logitsOf(kFixtures / model.toStdString(), wanted));
    }

    void importThenExportGivesTheBytesBack_data() { logitsAreThoseOfTransformers_data(); }
    void importThenExportGivesTheBytesBack()
    {
        QFETCH(const QString, model);
        const fs::path source = kFixtures / model.toStdString();
        const fs::path imported = fresh();
        const fs::path exported = fresh();
        run::importHf(source, imported, interop::StoredFrequencies::Refuse);
        const Json document = run::exportHf(imported, exported, {});
        QCOMPARE(document["custom_code"], Json(false));
        if (model != "llama-sharded")
            QCOMPARE(sha256OfFile(exported / "model.safetensors"), sha256OfFile(source / "model.safetensors"));
        const interop::HfConfig before = interop::readHfConfig(source / "config.json");
        const interop::HfConfig after = interop::readHfConfig(exported / "config.json");
        QCOMPARE(after.family, before.family);
        const ladder::Plan planBefore = ladder::resolve(before.rope, interop::shapeOf(before));
        const ladder::Plan planAfter = ladder::resolve(after.rope, interop::shapeOf(after));
        QCOMPARE(planAfter.ladders[0].hash, planBefore.ladders[0].hash);
        const Reference wanted = reference(model.toStdString());
        QCOMPARE(logitsOf(exported, wanted), logitsOf(imported, wanted));
    }

    void otherLadderGoesThroughRopeSettings()
    {
        for (const char* model : {"neox-parallel", "llama-grouped"})
            for (const char* scheme : {"mobius", "periodic", "yarn:factor=4,original=24,ramp=turn", "standard:base=777"}) {
                const fs::path imported = fresh();
                const fs::path exported = fresh();
                run::importHf(kFixtures / model, imported, interop::StoredFrequencies::Refuse);
                const Json document = run::exportHf(imported, exported, {.scheme = scheme, .dtype = {}, .build = {}});
                QCOMPARE(document["custom_code"], Json(false));
                const Reference wanted = reference(model);
                const auto swapped = logitsOf(imported, wanted, scheme);
                QCOMPARE(logitsOf(exported, wanted), swapped);
                QVERIFY(worst(swapped, wanted.logits) > 1e-3);
                // Without our own key the rope settings alone give the same frequencies within one unit in the last place.
                changeConfig(exported, {{"holonomy", nullptr}});
                QVERIFY(worst(logitsOf(exported, wanted), swapped) < 1e-5);
                const auto file = interop::SafetensorsFile::open(exported / "model.safetensors");
                QVERIFY(file.metadataValue("trained_with") && file.metadataValue("runs_with"));
                QVERIFY(*file.metadataValue("trained_with") != *file.metadataValue("runs_with"));
            }
    }

    void whatNoFamilyHoldsNeedsTheModellingFile()
    {
        const fs::path imported = fresh();
        run::importHf(kFixtures / "llama-grouped", imported, interop::StoredFrequencies::Refuse);
        for (const auto& [scheme, word] : {std::pair("hybrid:share=0.5,special=mobius", "hybrid"), std::pair("nope", "plane"), std::pair("alibi", "ALiBi"), std::pair("fope", "series")}) {
            const fs::path exported = fresh();
            const Json document = run::exportHf(imported, exported, {.scheme = scheme, .dtype = {}, .build = {}});
            QCOMPARE(document["custom_code"], Json(true));
            QVERIFY2(noted(document, word), dumpLine(document["notes"]).c_str());
            const Json config = readJsonFile(exported / "config.json");
            QVERIFY(!config.contains("rope_parameters"));
            QCOMPARE(config["positions"]["heads"].size(), std::size_t(2));
            QVERIFY(fs::is_regular_file(exported / "modeling_holonomy.py") && fs::is_regular_file(exported / "README.md"));
        }
        const fs::path refused = fresh();
        QVERIFY_THROWS_EXCEPTION(Error, run::exportHf(imported, refused, {.scheme = "xpos", .dtype = {}, .build = {}}));
        QVERIFY(!fs::exists(refused));
    }

    void oneFileWithEverythingKnown()
    {
        const fs::path imported = fresh();
        run::importHf(kFixtures / "neox-half", imported, interop::StoredFrequencies::Refuse);
        const fs::path file = fresh() / "whole.safetensors";
        run::exportSafetensors(imported, file, {.scheme = {}, .dtype = {}, .build = "1 abc"});
        const auto reader = interop::SafetensorsFile::open(file);
        for (const char* key : {"format", "holonomy", "trained_with", "runs_with", "ladders", "heads", "context", "seed", "step", "run", "build"})
            QVERIFY2(reader.metadataValue(key), key);
        const Reference wanted = reference("neox-half");
        QCOMPARE(logitsOf(file, wanted), logitsOf(imported, wanted));
        QVERIFY_THROWS_EXCEPTION(Error, run::exportSafetensors(imported, file, {}));
    }

    void dryRunsWriteNothing()
    {
        const fs::path imported = fresh();
        const Json seen = run::importHf(kFixtures / "llama-grouped", imported, interop::StoredFrequencies::Refuse, true);
        QVERIFY(!fs::exists(imported));
        Json made = run::importHf(kFixtures / "llama-grouped", imported, interop::StoredFrequencies::Refuse);
        made.erase("sha256");
        made["dry_run"] = true;
        QCOMPARE(seen, made);
        QVERIFY_THROWS_EXCEPTION(Error, run::importHf(kFixtures / "llama-grouped", imported, interop::StoredFrequencies::Refuse, true));
        const fs::path exported = fresh();
        const Json planned = run::exportHf(imported, exported, {.scheme = "mobius", .dtype = {}, .build = {}, .dryRun = true});
        QVERIFY(!fs::exists(exported) && planned["files"].size() == 2);
        run::exportSafetensors(imported, exported / "one.safetensors", {.scheme = {}, .dtype = {}, .build = {}, .dryRun = true});
        QVERIFY(!fs::exists(exported));
    }

    void aModellingFileWhereNoneIsNeeded()
    {
        const fs::path imported = fresh();
        const fs::path exported = fresh();
        run::importHf(kFixtures / "llama-grouped", imported, interop::StoredFrequencies::Refuse);
        const Json stock = run::exportHf(imported, fresh(), {.scheme = "periodic", .dtype = {}, .build = {}});
        QVERIFY(noted(stock, "float32"));
        const Json document = run::exportHf(imported, exported, {.scheme = "periodic", .dtype = {}, .build = {}, .customCode = true});
        QCOMPARE(document["custom_code"], Json(true));
        QVERIFY(!noted(document, "float32"));
        const Reference wanted = reference("llama-grouped");
        QCOMPARE(logitsOf(exported, wanted), logitsOf(imported, wanted, "periodic"));
    }

    void oneFileInANarrowerType()
    {
        const fs::path imported = fresh();
        run::importHf(kFixtures / "llama-grouped", imported, interop::StoredFrequencies::Refuse);
        const Reference wanted = reference("llama-grouped");
        const auto exact = logitsOf(imported, wanted);
        const std::string weight = "blocks.1.attn.qkv.weight";
        const auto original = interop::SafetensorsFile::open(imported / "checkpoints" / "step-0" / "model.safetensors");
        std::vector<float> before(std::size_t(original.get(weight).elements()));
        interop::readFloats(original, original.get(weight), before.data());
        for (const auto& [type, steps] : {std::pair("F16", 0x1p-11), std::pair("BF16", 0x1p-8)}) {
            const fs::path file = fresh() / "narrow.safetensors";
            const Json document = run::exportSafetensors(imported, file, {.scheme = {}, .dtype = type, .build = {}});
            QCOMPARE(document["dtype"], Json(type));
            QVERIFY(noted(document, type));
            const auto reader = interop::SafetensorsFile::open(file);
            QCOMPARE(QString::fromStdString(reader.get(weight).dtype), QString(type));
            std::vector<float> after(before.size());
            interop::readFloats(reader, reader.get(weight), after.data());
            for (std::size_t i = 0; i < after.size(); ++i)
                QVERIFY(std::abs(after[i] - before[i]) <= steps * std::abs(before[i]));
            const double away = worst(logitsOf(file, wanted), exact);
            QVERIFY2(away > 0 && away < 0.5, qPrintable(QString::number(away)));
        }
        const fs::path large = copyOf("llama-grouped");
        rewrite(large, "model.norm.weight", "model.norm.weight", {24}, std::vector<float>(24, 1e5f));
        const fs::path other = fresh();
        run::importHf(large, other, interop::StoredFrequencies::Refuse);
        const fs::path refused = fresh() / "narrow.safetensors";
        QVERIFY_THROWS_EXCEPTION(Error, run::exportSafetensors(other, refused, {.scheme = {}, .dtype = "F16", .build = {}}));
        QVERIFY(!fs::exists(refused));
    }

    void coefficientsOfASeriesGoAlong()
    {
        const fs::path imported = fresh();
        run::importHf(kFixtures / "llama-grouped", imported, interop::StoredFrequencies::Refuse);
        const Reference wanted = reference("llama-grouped");
        // The same weights as a checkpoint that was trained with a series.
        const fs::path trained = fresh();
        fs::create_directories(trained);
        const auto loaded = run::loadTransformer(imported, "fope:gain=0.5");
        run::CheckpointHeader header = loaded.header;
        header.spec.scheme = config::parseScheme("fope:gain=0.5");
        interop::SafetensorsWriter writer;
        writer.setMetadata(run::kHeaderKey, dumpLine(header.toJson()));
        for (const auto& [name, tensor] : loaded.model.parameters())
            writer.add(name, "F32", tensor.sizes().vec(), tensor.const_data_ptr());
        const auto series = loaded.model.schemeTensors();
        QVERIFY(!series.empty() && series.size() % 3 == 0);
        for (const auto& [name, tensor] : series)
            writer.add(name, "F64", tensor.sizes().vec(), tensor.const_data_ptr());
        writer.write(trained / "fope.safetensors");
        const auto exact = logitsOf(trained / "fope.safetensors", wanted);

        for (const char* type : {"F32", "F16"}) {
            const fs::path file = fresh() / "whole.safetensors";
            run::exportSafetensors(trained / "fope.safetensors", file, {.scheme = {}, .dtype = type, .build = {}});
            const auto reader = interop::SafetensorsFile::open(file);
            for (const auto& [name, tensor] : series) {
                const auto& info = reader.get(name);
                QCOMPARE(QString::fromStdString(info.dtype), QString("F64"));
                std::vector<char> bytes(std::size_t(info.bytes()));
                reader.read(info, bytes.data());
                QCOMPARE(std::memcmp(bytes.data(), tensor.const_data_ptr(), bytes.size()), 0);
            }
            QVERIFY(worst(logitsOf(file, wanted), exact) < (type == std::string("F32") ? 1e-7 : 0.5));
        }

        // Coefficients that the scheme does not give were what the model was trained on.
        std::vector<double> other(std::size_t(series[1].second.numel()));
        std::memcpy(other.data(), series[1].second.const_data_ptr(), other.size() * sizeof(double));
        other[0] += 1e-3;
        interop::SafetensorsWriter changed;
        changed.setMetadata(run::kHeaderKey, dumpLine(header.toJson()));
        for (const auto& [name, tensor] : loaded.model.parameters())
            changed.add(name, "F32", tensor.sizes().vec(), tensor.const_data_ptr());
        changed.add(series[1].first, "F64", series[1].second.sizes().vec(), other.data());
        changed.write(trained / "changed.safetensors");
        QVERIFY_THROWS_EXCEPTION(Error, run::openModel(trained / "changed.safetensors"));
        logitsOf(trained / "changed.safetensors", wanted, "fope:gain=0.5");
    }

    void foldersWithAModellingFileComeBack()
    {
        for (const auto& [model, scheme] : {std::pair("llama-grouped", "hybrid:share=0.5,special=mobius"), std::pair("neox-parallel", "hybrid:share=0.25,special=fope"), std::pair("llama-biases", "alibi"),
                                            std::pair("qwen2", "nope"), std::pair("olmo", "periodic-rope:window=16"), std::pair("mistral-window", "fope")}) {
            const fs::path imported = fresh();
            const fs::path exported = fresh();
            const fs::path again = fresh();
            run::importHf(kFixtures / model, imported, interop::StoredFrequencies::Refuse);
            const Json document = run::exportHf(imported, exported, {.scheme = scheme, .dtype = {}, .build = {}});
            QCOMPARE(document["custom_code"], Json(true));
            const Reference wanted = reference(model);
            const auto swapped = logitsOf(imported, wanted, scheme);
            QCOMPARE(logitsOf(exported, wanted), swapped);
            const Json back = run::importHf(exported, again, interop::StoredFrequencies::Refuse);
            QCOMPARE(back["tensors"]["used"], back["tensors"]["total"]);
            QCOMPARE(back["family"], Json("holonomy"));
            QCOMPARE(logitsOf(again, wanted), swapped);
            const fs::path once = fresh();
            QCOMPARE(run::exportHf(again, once, {})["custom_code"], Json(true));
            QCOMPARE(readJsonFile(once / "config.json")["positions"], readJsonFile(exported / "config.json")["positions"]);

            Json positions = readJsonFile(exported / "config.json")["positions"];
            positions["heads"][1][0]["window"] = 7;
            changeConfig(exported, {{"positions", positions}});
            std::string message;
            QCOMPARE(importCode(exported, fresh(), &message), 3);
            QVERIFY2(message.find("heads[1][0].window") != std::string::npos, message.c_str());
        }
    }

    void missingExtraAndMisshapenTensors()
    {
        std::string message;
        fs::path folder = copyOf("llama-grouped");
        rewrite(folder, "lm_head.weight");
        QCOMPARE(importCode(folder, fresh(), &message), 3);
        QVERIFY2(message.find("lm_head.weight") != std::string::npos, message.c_str());
        changeConfig(folder, {{"tie_word_embeddings", true}});
        QCOMPARE(importCode(folder, fresh()), 0);

        folder = copyOf("llama-grouped");
        rewrite(folder, "model.norm.weight", "model.norm.weight", {23}, std::vector<float>(23));
        QCOMPARE(importCode(folder, fresh(), &message), 3);
        QVERIFY2(message.find("[23]") != std::string::npos, message.c_str());

        folder = copyOf("llama-grouped");
        rewrite(folder, "", "model.unheard.weight", {2}, {1, 2});
        const Json document = run::importHf(folder, fresh(), interop::StoredFrequencies::Refuse);
        QVERIFY(noted(document, "model.unheard.weight") && noted(document, "21 of 22 tensors used"));

        folder = copyOf("llama-grouped");
        rewrite(folder, "model.norm.weight", "model.norm.weight", {24}, std::vector<float>(24, std::nanf("")));
        const fs::path target = fresh();
        QCOMPARE(importCode(folder, target, &message), 7);
        QVERIFY2(message.find("model.norm.weight") != std::string::npos, message.c_str());
        QVERIFY(!fs::exists(target));
        QCOMPARE(importCode(kFixtures / "olmo", kFixtures), 2);
    }

    void storedFrequencies()
    {
        std::string message;
        const fs::path folder = copyOf("llama-grouped");
        rewrite(folder, "", "model.layers.0.self_attn.rotary_emb.inv_freq", {3}, {1, float(std::pow(500000.0, -1 / 3.0)), float(std::pow(500000.0, -2 / 3.0))});
        QCOMPARE(importCode(folder, fresh()), 0);
        rewrite(folder, "model.layers.0.self_attn.rotary_emb.inv_freq", "model.layers.0.self_attn.rotary_emb.inv_freq", {3}, {1, 0.25f, 0.125f});
        QCOMPARE(importCode(folder, fresh(), &message), 4);
        QVERIFY2(message.find("0.25") != std::string::npos && message.find("inv_freq") != std::string::npos, message.c_str());
        const Json taken = run::importHf(folder, fresh(), interop::StoredFrequencies::TakeFile);
        QCOMPARE(taken["scheme"]["kind"], Json("custom"));
        QCOMPARE(run::importHf(folder, fresh(), interop::StoredFrequencies::TakeConfig)["scheme"]["kind"], Json("standard"));
    }

    void picklesAreRefused()
    {
        std::string message;
        const fs::path folder = copyOf("llama-grouped");
        fs::rename(folder / "model.safetensors", folder / "pytorch_model.bin");
        QCOMPARE(importCode(folder, fresh(), &message), 4);
        QVERIFY2(message.find("safetensors") != std::string::npos, message.c_str());
        QVERIFY_THROWS_EXCEPTION(Error, run::openModel(folder));
        const fs::path single = fresh();
        writeFileAtomic(single, std::string("\x80\x04\x95\x0a\0\0\0\0\0\0\0}\x94\x8c\x01" "a\x94K\x01s.", 21));
        try {
            run::openModel(single);
            QFAIL("a pickle was opened");
        } catch (const Error& problem) {
            QCOMPARE(exitCode(problem.kind()), 4);
        }
    }

    void halvesRoundTrip()
    {
        for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
            const float half = interop::halfToFloat(std::uint16_t(bits));
            const float bfloat = interop::bfloat16ToFloat(std::uint16_t(bits));
            if (!std::isnan(half))
                QCOMPARE(std::uint32_t(interop::floatToHalf(half)), bits);
            if (!std::isnan(bfloat))
                QCOMPARE(std::uint32_t(interop::floatToBfloat16(bfloat)), bits);
        }
        QCOMPARE(interop::floatToHalf(1 + 0x1p-11f), interop::floatToHalf(1));            // ties to even
        QCOMPARE(interop::floatToHalf(1 + 3 * 0x1p-11f), interop::floatToHalf(1 + 0x1p-9f));
        QCOMPARE(interop::floatToHalf(65520), std::uint16_t(0x7C00));
        QCOMPARE(interop::floatToHalf(65519), std::uint16_t(0x7BFF));
        QCOMPARE(interop::floatToBfloat16(1 + 0x1p-8f), interop::floatToBfloat16(1));
    }
};

QTEST_GUILESS_MAIN(TestHfModels)
#include "tst_hf_models.moc"
