#include <QtTest>

#include <QTemporaryDir>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/scheme_json.h"
#include "core/ladder/kinds.h"

using namespace holo;
using namespace holo::config;

namespace {

int code(const std::string& text, std::string* message = nullptr)
{
    try {
        parseScheme(text);
        return 0;
    } catch (const Error& e) {
        if (message)
            *message = e.what();
        return exitCode(e.kind());
    }
}

}  // namespace

class TestConfigScheme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsBackWhatItPrints_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"standard", "standard:base=500000", "mobius:context=512", "periodic:variant=B", "band:variant=C1", "twisted:phi=1.5708", "nope", "alibi",
                                 "fope:gain=0.3,mode=official", "yarn:factor=4,original=512", "custom:theta=[1,0.1,0.01,1e-300]", "hybrid:share=0.25,special=mobius",
                                 "hybrid:share=0.07,special=mobius:context=512,rest=standard:base=500000", "longrope:factor=2,short=[1,1],long=[1,2]",
                                 R"({"kind":"fope","cos":[[1.1,-0.2],[0.05,1.15]],"sin":[[0.9,0.2],[0.3,0.95]]})",
                                 R"({"kind":"hybrid","parts":[{"name":"a","scheme":"mobius:context=64","heads":[0,2]},{"name":"b","scheme":{"kind":"twisted","phi":1,"context":9},"layers":[1],"share":0.5},{"name":"rest","scheme":"nope"}]})",
                                 R"({"kind":"hybrid","share":0.5,"special":{"kind":"twisted","phi":1,"context":128},"rest":"standard"})"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }

    void readsBackWhatItPrints()
    {
        QFETCH(QString, text);
        const ladder::Scheme scheme = parseScheme(text.toStdString());
        const Json json = toJson(scheme);
        QCOMPARE(dumpLine(toJson(schemeFromJson(json, "scheme"))), dumpLine(json));
        QCOMPARE(dumpLine(toJson(parseScheme(dumpLine(json)))), dumpLine(json));
        QCOMPARE(dumpLine(toJson(parseScheme(shortForm(scheme)))), dumpLine(json));
    }

    void shortFormsAreShort()
    {
        QCOMPARE(shortForm(parseScheme("mobius")), std::string("mobius"));
        QCOMPARE(shortForm(parseScheme(R"({"kind":"mobius","context":512})")), std::string("mobius:context=512"));
        QCOMPARE(shortForm(parseScheme("hybrid")), std::string("hybrid:share=0.25,special=mobius"));
        QCOMPARE(shortForm(parseScheme(" twisted : phi = 0.5 ")), std::string("twisted:phi=0.5"));
        QVERIFY(shortForm(parseScheme("custom:theta=[1,2]")).starts_with('{'));
    }

    void everyKindIsKnown()
    {
        for (const ladder::KindInfo& info : ladder::kinds()) {
            std::string text(info.name);
            const Json json = {{"kind", info.name}};
            QCOMPARE(parseScheme(text).kind, info.kind);
            QCOMPARE(schemeFromJson(json, "scheme").kind, info.kind);
        }
    }

    void readsFiles()
    {
        const QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString();
        writeFileAtomic(folder / "scheme.json", R"({"kind":"custom","theta":"@theta.json"})");
        writeFileAtomic(folder / "theta.json", "[0.5, 0.25]");
        writeFileAtomic(folder / "broken.json", "{");
        const auto theta = [](const ladder::Scheme& scheme) { return std::get<std::vector<double>>(scheme.parameters.at("theta")); };
        const std::vector<double> expected{0.5, 0.25};
        QCOMPARE(theta(parseScheme((folder / "scheme.json").string())), expected);
        QCOMPARE(theta(parseScheme("custom:theta=@" + (folder / "theta.json").string())), expected);
        QCOMPARE(theta(parseScheme("custom:theta=@theta.json", folder)), expected);
        QCOMPARE(code((folder / "broken.json").string()), 3);
        QCOMPARE(code((folder / "missing.json").string()), 3);
        QCOMPARE(code("custom:theta=@" + (folder / "missing.json").string()), 3);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* text, const char* named) { QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(named); };
        row("", "positional scheme");
        row("mobiu", "mobius");
        row("mobius:contxt=512", "context");
        row("mobius:context", "KEY=VALUE");
        row("mobius:context=", "context");
        row("mobius:context=1", "context");
        row("mobius:context=512.5", "context");
        row("mobius:context=five", "context");
        row("mobius:context=512,context=256", "twice");
        row("mobius:context=2,75", "KEY=VALUE");
        row("standard:base=1", "base");
        row("standard:base=nan", "base");
        row("standard:base=inf", "base");
        row("periodic:variant=C", "variant");
        row("nope:base=3", "base");
        row("custom:theta=[1,\"a\"]", "theta");
        row("custom:theta=[1", "theta");
        row("custom:theta=1e999", "theta");
        row("hybrid:share=2", "share");
        row("hybrid:special=mobiuss", "mobius");
        row("hybrid:specal=mobius", "special");
        row("{}", "kind");
        row("[]", "positional scheme");
        row("{\"kind\":3}", "kind");
        row("{\"kind\":\"mobius\",\"context\":\"512\"}", "context");
        row("{\"kind\":\"mobius\",\"contxt\":512}", "context");
        row("{\"kind\":\"hybrid\",\"parts\":[]}", "parts");
        row("{\"kind\":\"hybrid\",\"parts\":[{\"scheme\":\"nope\",\"shar\":1}]}", "share");
        row("{\"kind\":\"hybrid\",\"parts\":[{\"name\":\"x\"}]}", "scheme");
        row("{\"kind\":\"hybrid\",\"parts\":[{\"scheme\":\"nope\"}],\"share\":1}", "parts");
        row("{\"kind\":\"mobius\",", "JSON");
    }

    void refuses()
    {
        QFETCH(QString, text);
        QFETCH(QString, named);
        std::string message;
        QCOMPARE(code(text.toStdString(), &message), 2);
        QVERIFY2(QString::fromStdString(message).contains(named), message.c_str());
    }

    void planHoldsLaddersAndHeads()
    {
        ladder::ModelShape shape;
        shape.layers = 2;
        shape.heads = 4;
        shape.kvHeads = 4;
        shape.headDim = shape.rotaryDim = 8;
        shape.context = 64;
        const Json json = toJson(ladder::resolve(parseScheme("hybrid:share=0.25,special=mobius"), shape));
        QCOMPARE(json["ladders"].size(), std::size_t(2));
        QCOMPARE(json["plan"].size(), std::size_t(2));
        QCOMPARE(json["plan"][1].size(), std::size_t(4));
        QCOMPARE(json["share"].get<double>(), 0.25);
        const auto& special = json["ladders"][json["plan"][0][0]["ladder"].get<int>()];
        QCOMPARE(special["kind"].get<std::string>(), std::string("mobius"));
        QVERIFY(std::abs(special["theta"][0].get<double>() - .04908739) < 1e-8);
        const Json tables = toJson(ladder::resolve(parseScheme("mobius"), shape), true);
        QCOMPARE(tables["ladders"][0]["table"]["cos"].size(), std::size_t(64 * 4));
    }
};

QTEST_GUILESS_MAIN(TestConfigScheme)
#include "tst_config_scheme.moc"
