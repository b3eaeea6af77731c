#include <QtTest>

#include <QTemporaryDir>

#include <filesystem>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/describe.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "test_paths.h"

using namespace holo;
using namespace holo::config;

namespace fs = std::filesystem;

namespace {

struct Outcome {
    int code = 0;
    std::string message;
    ErrorPlace place;
};

template <class F>
Outcome outcome(F&& action)
{
    try {
        action();
        return {};
    } catch (const Error& e) {
        return {exitCode(e.kind()), e.what(), e.place()};
    }
}

Json document(const char* changes = "{}")
{
    Json json = {{"format", 1}, {"name", "test"}, {"arms", {{{"name", "standard"}, {"scheme", "standard"}}, {{"name", "mobius"}, {"scheme", "mobius"}}}}, {"seeds", {2, 1}}};
    json.merge_patch(Json::parse(changes));
    return json;
}

}  // namespace

class TestConfigProject : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path write(const std::string& name, const std::string& text)
    {
        const fs::path file = fs::path(m_folder.path().toStdString()) / name;
        writeFileAtomic(file, text);
        return file;
    }

private Q_SLOTS:
    void writesEveryField()
    {
        const Json json = toJson(projectTemplate("tiny"));
        for (const FieldInfo& info : describeFields()) {
            const Json* place = &json;
            std::string rest = info.path;
            for (std::size_t dot; (dot = rest.find('.')) != std::string::npos; rest = rest.substr(dot + 1))
                place = &place->at(rest.substr(0, dot));
            QVERIFY2(place->contains(rest), info.path.c_str());
        }
        QVERIFY(describeFields().size() > 60);
    }

    void describesFields()
    {
        const FieldInfo* steps = findField("train.steps");
        QVERIFY(steps);
        QCOMPARE(steps->type, FieldType::Integer);
        QCOMPARE(steps->defaultValue.get<int>(), 1600);
        QCOMPARE(std::string(findField("train.warmup")->field.unit), std::string("steps"));
        QCOMPARE(findField("data.synthetic.names")->defaultValue.get<int>(), 16);
        QCOMPARE(findField("train.step"), nullptr);
        std::set<std::string> paths;
        for (const FieldInfo& info : describeFields())
            QVERIFY2(paths.insert(info.path).second, info.path.c_str());
    }

    void templatesReadBackByteForByte_data()
    {
        QTest::addColumn<QString>("name");
        for (const std::string& name : templateNames())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }

    void templatesReadBackByteForByte()
    {
        QFETCH(QString, name);
        const Project project = projectTemplate(name.toStdString());
        const auto problems = validate(project);
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().message.c_str());
        const fs::path file = fs::path(m_folder.path().toStdString()) / "project.json";
        writeProject(file, project);
        const std::string bytes = readFile(file);
        const Project read = readProject(m_folder.path().toStdString());
        QCOMPARE(dumpPretty(toJson(read)), bytes);
    }

    void samplesAreWrittenByTheWriter_data()
    {
        QTest::addColumn<QString>("file");
        int samples = 0;
        for (const auto& entry : fs::directory_iterator(HOLO_SOURCE_DIR "/projects")) {
            if (!entry.is_directory())
                continue;
            QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString((entry.path() / "project.json").string());
            ++samples;
        }
        QVERIFY(samples >= 6);
    }

    void samplesAreWrittenByTheWriter()
    {
        QFETCH(QString, file);
        const fs::path path = file.toStdString();
        const Project project = readProject(path);
        QCOMPARE(dumpPretty(toJson(project)), readFile(path));
        QCOMPARE(dumpPretty(toJson(projectTemplate(project.name))), readFile(path));
    }

    void everyRunSpecReadsBack()
    {
        for (const RunSpec& spec : expand(projectTemplate("mobius-paper"))) {
            const Json json = toJson(spec);
            QCOMPARE(dumpLine(toJson(runSpecFromJson(json, "run.json"))), dumpLine(json));
        }
        Json json = toJson(expand(projectTemplate("tiny")).front());
        json["train"]["stepz"] = 3;
        const Outcome result = outcome([&] { runSpecFromJson(json, "run.json"); });
        QCOMPARE(result.code, 2);
        QVERIFY(result.message.find("train.steps") != std::string::npos);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("changes");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("said");
        QTest::addColumn<int>("code");
        const auto row = [](const char* changes, const char* field, const char* said, int code = 2) {
            QTest::newRow(changes) << QString::fromUtf8(changes) << QString::fromUtf8(field) << QString::fromUtf8(said) << code;
        };
        row(R"({"trian":{}})", "trian", "train");
        row(R"({"steps":12})", "steps", "train.steps");
        row(R"({"train":{"stepz":12}})", "train.stepz", "train.steps");
        row(R"({"data":{"synthetic":{"nams":3}}})", "data.synthetic.nams", "data.synthetic.names");
        row(R"({"train":{"steps":"12"}})", "train.steps", "whole number");
        row(R"({"train":{"steps":1.5}})", "train.steps", "1.5");
        row(R"({"train":{"steps":-1}})", "train.steps", "-1");
        row(R"({"train":{"steps":18446744073709551615}})", "train.steps", "whole number");
        row(R"({"train":{"steps":1e300}})", "train.steps", "whole number");
        row(R"({"train":{"batch":4294967297}})", "train.batch", "4294967297");
        row(R"({"train":{"batch":true}})", "train.batch", "true");
        row(R"({"train":{"batch":[]}})", "train.batch", "[]");
        row(R"({"train":{"lr":"fast"}})", "train.lr", "fast");
        row(R"({"train":{"lr":"nan"}})", "train.lr", "nan");
        row(R"({"train":{"lr":-0.1}})", "train.lr", "-0.1");
        row(R"({"train":{"eps":0}})", "train.eps", "above 0");
        row(R"({"train":{"schedule":"cosin"}})", "train.schedule", "cosine");
        row(R"({"train":[]})", "train", "an object");
        row(R"({"model":{"tied":1}})", "model.tied", "true or false");
        row(R"({"model":{"hidden":65}})", "model.hidden", "multiple");
        row(R"({"model":{"kv_heads":3}})", "model.kv_heads", "divisor");
        row(R"({"model":{"head_dim":7}})", "model.rotary_pct", "even");
        row(R"({"model":{"head_dim":1}})", "model.head_dim", "at least 2");
        row(R"({"model":{"hidden":768,"heads":12,"rotary_pct":0.27}})", "model.rotary_pct", "17");
        row(R"({"model":{"style":"gpt"}})", "model.style", "neox");
        row(R"({"data":{"source":3}})", "data.source", "list of texts");
        row(R"({"data":{"source":["a",3]}})", "data.source[1]", "3");
        row(R"({"data":{"source":[]}})", "data.source", "synthetic");
        row(R"({"data":{"source":["synthetic","a.txt"]}})", "data.source", "alone");
        row("{\"data\":{\"source\":\"s3://bucket/a.txt\"}}", "data.source", "nothing is fetched");
        row(R"({"data":{"tokenizer":"sentencepiece:x"}})", "data.tokenizer", "sentencepiece:V");
        row(R"({"data":{"synthetic":{"distractors":16}}})", "data.synthetic.distractors", "names");
        row(R"({"eval":{"protocols":["needel"]}})", "eval.protocols[0]", "needle");
        row(R"({"eval":{"protocols":"needle"}})", "eval.protocols", "list");
        row(R"({"eval":{"depths":[0,1.5]}})", "eval.depths[1]", "1.5");
        row(R"({"eval":{"depths":[0,0]}})", "eval.depths", "once");
        row(R"({"eval":{"lengths":[]}})", "eval.lengths", "at least one");
        row(R"({"eval":{"depths":[]}})", "eval.depths", "at least one");
        row(R"({"arms":[]})", "arms", "at least one");
        row(R"({"arms":{}})", "arms", "a list of arms");
        row(R"({"arms":[3]})", "arms[0]", "object");
        row(R"({"arms":[{"name":"a"}]})", "arms[0].scheme", "missing");
        row(R"({"arms":[{"name":"a","scheme":"mobiu"}]})", "kind", "mobius");
        row(R"({"arms":[{"name":"a","scheme":"nope","train.lt":1}]})", "arms[0].train.lt", "train.lr");
        row(R"({"arms":[{"name":"a","scheme":"nope","schem":1}]})", "arms[0].schem", "scheme");
        row(R"({"arms":[{"name":"a","scheme":"nope","train":{"lr":-3}}]})", "arms[0].train.lr", "-3");
        row(R"({"arms":[{"name":"a","scheme":"nope"},{"name":"a","scheme":"alibi"}]})", "arms[1].name", "no other arm");
        row(R"({"arms":[{"name":"a\nb","scheme":"nope"}]})", "arms[0].name", "control");
        row(R"({"arms":[{"name":"a","scheme":"mobius:context=6"}]})", "arms[0].scheme.mobius.context", "mobius");
        row(R"({"arms":[{"name":"a","scheme":"custom:theta=[1]"}]})", "arms[0].scheme.custom.theta", "theta");
        row(R"({"seeds":[]})", "seeds", "at least one");
        row(R"({"seeds":[1,1]})", "seeds", "once");
        row(R"({"seeds":[-1]})", "seeds[0]", "-1");
        row(R"({"seeds":["1"]})", "seeds[0]", "whole number");
        row(R"({"seeds":3})", "seeds", "list");
        row(R"({"name":3})", "name", "text");
        row(R"({"format":0})", "format", "1");
        row(R"({"format":2})", "format", "newer", 4);
    }

    void refuses()
    {
        QFETCH(QString, changes);
        QFETCH(QString, field);
        QFETCH(QString, said);
        QFETCH(int, code);
        const Json json = document(changes.toUtf8().constData());
        const Outcome result = outcome([&] { projectFromJson(json, "/tmp/p/project.json"); });
        QCOMPARE(result.code, code);
        QCOMPARE(QString::fromStdString(result.place.field), field);
        QVERIFY2(QString::fromStdString(result.message).contains(said), result.message.c_str());
        QVERIFY2(result.message.starts_with("/tmp/p/project.json: "), result.message.c_str());
        QVERIFY2(result.message.find('\n') == std::string::npos, result.message.c_str());
    }

    void missingAndBrokenFilesAreMalformed()
    {
        QCOMPARE(outcome([&] { readProject(m_folder.path().toStdString() + "/nowhere"); }).code, 3);
        for (const char* text : {"", "{", "{\"a\":1,}", "nothing", "{\"train\":{},\"train\":{}}", "\xFF\xFE{}", "{\"name\":\"\xC3\"}"})
            QCOMPARE(outcome([&] { readProject(write("broken.json", text)); }).code, 3);
        QCOMPARE(outcome([&] { readProject(write("deep.json", std::string(100000, '['))); }).code, 3);
        for (const char* text : {"[]", "3", "null", "\"text\""})
            QCOMPARE(outcome([&] { readProject(write("other.json", text)); }).code, 2);
        const fs::path folder = fs::path(m_folder.path().toStdString()) / "empty";
        fs::create_directory(folder);
        const Outcome result = outcome([&] { readProject(folder); });
        QCOMPARE(result.code, 3);
        QVERIFY(result.message.find("empty/project.json") != std::string::npos);
    }

    void parametersAreTypedLikeTheFile()
    {
        const fs::path file = write("p.json", dumpPretty(document(R"({"arms":[{"name":"a","scheme":"nope","train.steps":5,"train":{"lr":0.5,"batch":2}},{"name":"b","scheme":"alibi"}]})")));
        const auto read = [&](std::initializer_list<const char*> texts) {
            std::vector<Parameter> parameters;
            for (const char* text : texts)
                parameters.push_back(parseParameter(text));
            return readProject(file, parameters);
        };
        QCOMPARE(read({"train.steps=12"}).train.steps, std::int64_t(12));
        QCOMPARE(read({"train.steps=1e3"}).train.steps, std::int64_t(1000));
        QCOMPARE(read({"train.precision=bf16"}).train.precision, std::string("bf16"));
        QCOMPARE(read({"notes=say \"x\" = 3"}).notes, std::string("say \"x\" = 3"));
        QCOMPARE(read({"data.synthetic.names=20"}).data.synthetic.names, 20);
        const std::vector<std::int64_t> seeds{3, 4};
        QCOMPARE(read({"seeds=[3,4]"}).seeds, seeds);
        QCOMPARE(read({"eval.protocols=[]"}).eval.protocols.size(), std::size_t(0));
        QCOMPARE(read({"arms=[\"mobius:context=512\"]"}).arms.front().name, std::string("mobius:context=512"));
        const Project merged = read({"train={\"steps\":7,\"keep\":3}"});
        QCOMPARE(merged.train.steps, std::int64_t(7));
        QCOMPARE(merged.train.keep, 3);
        QCOMPARE(read({"data.source=[\"a.txt\",\"b.txt\"]"}).data.source.size(), std::size_t(2));

        // The command line is nearer than an arm's override; other overrides stay.
        const auto runs = expand(read({"train.steps=12", "train.lr=0.25"}));
        QCOMPARE(runs.front().train.steps, std::int64_t(12));
        QCOMPARE(runs.front().train.lr, 0.25);
        QCOMPARE(runs.front().train.batch, 2);
        QCOMPARE(runs.back().train.batch, 8);

        const auto fails = [&](const char* text, const char* said) {
            const Outcome result = outcome([&] { read({text}); });
            return result.code == 2 && result.message.find(said) != std::string::npos && result.message.starts_with("--param");
        };
        QVERIFY(fails("train.stepz=3", "train.steps"));
        QVERIFY(fails("trian.steps=3", "train.steps"));
        QVERIFY(fails("steps=3", "train.steps"));
        QVERIFY(fails("train.steps=many", "whole number"));
        QVERIFY(fails("train={\"stepz\":3}", "train.steps"));
        QVERIFY(fails("train=3", "a group of fields"));
        QVERIFY(fails("model=5", "such as model.style"));
        QVERIFY(fails("data.synthetic=5", "such as data.synthetic.names"));
        QVERIFY(fails("seeds=[]", "at least one"));
        QVERIFY(fails("seeds=[1,\"x\"]", "whole number"));
        QVERIFY(fails("model.heads=7", "multiple") || outcome([&] { read({"model.heads=7"}); }).code == 2);
        QCOMPARE(outcome([] { parseParameter("train.steps"); }).code, 2);
        QCOMPARE(outcome([] { parseParameter("=3"); }).code, 2);
    }

    void runsGoArmByArm()
    {
        const auto runs = expand(projectFromJson(document(), "p.json"));
        QCOMPARE(runs.size(), std::size_t(4));
        QCOMPARE(runs[0].arm, std::string("standard"));
        QCOMPARE(runs[0].seed, std::int64_t(1));
        QCOMPARE(runs[1].seed, std::int64_t(2));
        QCOMPARE(runs[2].arm, std::string("mobius"));
    }

    void runIdsAreFoldersThatSayWhatTheyHold()
    {
        RunSpec spec = expand(projectFromJson(document(), "p.json")).front();
        const std::string id = runId(spec);
        QVERIFY2(id.starts_with("standard-s1-"), id.c_str());
        std::set<std::string> ids;
        for (const std::string name : {"a/b", "a-b", "A-b", "..", ".", "", " x ", "con", "über 1", "😀", "hybrid:share=0.25,special=mobius", std::string(300, 'n').c_str()}) {
            spec.arm = name;
            const std::string text = runId(spec);
            QVERIFY2(text.size() < 80 && text.front() != '.' && text.front() != '-', text.c_str());
            QVERIFY2(text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == std::string::npos, text.c_str());
            QVERIFY2(ids.insert(text).second, text.c_str());
        }
    }

    void runIdsFollowWhatDecidesTheWeights()
    {
        const RunSpec spec = expand(projectFromJson(document(), "p.json")).front();
        const auto changed = [&](auto&& change) {
            RunSpec other = spec;
            change(other);
            return runId(other) != runId(spec);
        };
        QVERIFY(changed([](RunSpec& s) { s.train.steps = 3; }));
        QVERIFY(changed([](RunSpec& s) { s.model.dropout = .1; }));
        QVERIFY(changed([](RunSpec& s) { s.data.synthetic.seed = 2; }));
        QVERIFY(changed([](RunSpec& s) { s.scheme = parseScheme("nope"); }));
        QVERIFY(changed([](RunSpec& s) { s.seed = 9; }));
        QVERIFY(changed([](RunSpec& s) { s.eval.every = 10; }));
        QVERIFY(!changed([](RunSpec& s) { s.eval.trials = 3; }));
        QVERIFY(!changed([](RunSpec& s) { s.train.keep = 9; }));
        QVERIFY(!changed([](RunSpec& s) { s.train.checkpointEvery = 7; }));
        QVERIFY(!changed([](RunSpec& s) { s.project = "moved"; }));
    }

    void validateListsAllProblems()
    {
        Project project = projectTemplate("tiny");
        project.train.lr = -1;
        project.model.heads = 0;
        project.seeds.clear();
        QVERIFY(validate(project).size() >= 3);
    }

    void theFolderNamesAProjectWithoutName()
    {
        const fs::path folder = fs::path(m_folder.path().toStdString()) / "My Folder";
        fs::create_directory(folder);
        Json json = document();
        json.erase("name");
        writeFileAtomic(folder / "project.json", dumpPretty(json));
        QCOMPARE(readProject(folder).name, std::string("My Folder"));
    }
};

QTEST_GUILESS_MAIN(TestConfigProject)
#include "tst_config_project.moc"
