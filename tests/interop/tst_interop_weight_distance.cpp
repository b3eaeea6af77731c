#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "core/base/error.h"
#include "core/interop/dtype.h"
#include "core/interop/safetensors_writer.h"
#include "core/interop/weight_distance.h"

using namespace holo;
using namespace holo::interop;

class InteropWeightDistance : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbersByHand();
    void typesMix();
    void whatCannotBeCompared();
    void stopsWhenAsked();
    void missingFileIsNamed();
};

void InteropWeightDistance::numbersByHand()
{
    QTemporaryDir dir;
    const float a[] = {3, 4, 0, 0};
    const float b[] = {3, 0, 4, 0};
    SafetensorsWriter wa;
    wa.add("w", "F32", {2, 2}, a);
    wa.write(dir.filePath("a.safetensors").toStdString());
    SafetensorsWriter wb;
    wb.add("w", "F32", {2, 2}, b);
    wb.write(dir.filePath("b.safetensors").toStdString());
    const auto d = weightDistances(dir.filePath("a.safetensors").toStdString(), dir.filePath("b.safetensors").toStdString());
    QCOMPARE(d.compared, 1);
    const auto& row = d.tensors.front();
    QCOMPARE(row.normA, 5.0);
    QCOMPARE(row.normB, 5.0);
    QCOMPARE(row.distance, std::sqrt(32.0));
    QCOMPARE(row.relative, std::sqrt(32.0) / 5);
    QCOMPARE(row.cosine, 9.0 / 25);
    QCOMPARE(row.greatest, 4.0);
    QCOMPARE(d.relative, row.relative);
    const auto same = weightDistances(dir.filePath("a.safetensors").toStdString(), dir.filePath("a.safetensors").toStdString());
    QCOMPARE(same.relative, 0.0);
    QCOMPARE(same.cosine, 1.0);
}

// A checkpoint in half the width lies as far away as its rounding.
void InteropWeightDistance::typesMix()
{
    QTemporaryDir dir;
    std::vector<float> wide(300000);
    std::vector<std::uint16_t> narrow(wide.size());
    double dd = 0;
    double aa = 0;
    for (std::size_t i = 0; i < wide.size(); ++i) {
        wide[i] = std::sin(static_cast<float>(i) * 0.37f);
        narrow[i] = floatToBfloat16(wide[i]);
        const double d = double(wide[i]) - double(bfloat16ToFloat(narrow[i]));
        dd += d * d;
        aa += double(wide[i]) * double(wide[i]);
    }
    SafetensorsWriter wa;
    wa.add("w", "F32", {300000}, wide.data());
    wa.write(dir.filePath("a.safetensors").toStdString());
    SafetensorsWriter wb;
    wb.add("w", "BF16", {300000}, narrow.data());
    wb.write(dir.filePath("b.safetensors").toStdString());
    const auto d = weightDistances(dir.filePath("a.safetensors").toStdString(), dir.filePath("b.safetensors").toStdString());
    QVERIFY(std::abs(d.relative - std::sqrt(dd / aa)) < 1e-12);
    QVERIFY(d.relative > 1e-4 && d.relative < 4e-3);
}

void InteropWeightDistance::whatCannotBeCompared()
{
    QTemporaryDir dir;
    const float values[6] = {1, 2, 3, 4, 5, 6};
    const std::int64_t integers[2] = {1, 2};
    SafetensorsWriter wa;
    wa.add("only.a", "F32", {2}, values);
    wa.add("shape", "F32", {2, 3}, values);
    wa.add("type", "I64", {2}, integers);
    const float zeros[2] = {0, 0};
    wa.add("zero", "F32", {2}, zeros);
    wa.write(dir.filePath("a.safetensors").toStdString());
    SafetensorsWriter wb;
    wb.add("only.b", "F32", {2}, values);
    wb.add("shape", "F32", {3, 2}, values);
    wb.add("type", "I64", {2}, integers);
    wb.add("zero", "F32", {2}, values);
    wb.write(dir.filePath("b.safetensors").toStdString());
    const auto d = weightDistances(dir.filePath("a.safetensors").toStdString(), dir.filePath("b.safetensors").toStdString());
    QCOMPARE(d.tensors.size(), std::size_t(5));
    QCOMPARE(d.compared, 1);
    QCOMPARE(d.tensors[0].note, std::string("not in B"));
    QCOMPARE(d.tensors[1].note, std::string("not in A"));
    QCOMPARE(d.tensors[2].note, std::string("shape [2, 3] against [3, 2]"));
    QCOMPARE(d.tensors[3].note, std::string("type I64 against I64"));
    QVERIFY(std::isnan(d.tensors[4].relative) && std::isnan(d.tensors[4].cosine));
    QCOMPARE(d.tensors[4].distance, std::sqrt(5.0));
}

void InteropWeightDistance::stopsWhenAsked()
{
    QTemporaryDir dir;
    const std::vector<float> values(64);
    SafetensorsWriter writer;
    writer.add("a", "F32", {64}, values.data());
    writer.add("b", "F32", {64}, values.data());
    const auto file = dir.filePath("a.safetensors").toStdString();
    writer.write(file);
    int asked = 0;
    const auto d = weightDistances(file, file, [&] { return ++asked < 2; });
    QCOMPARE(asked, 2);
    QCOMPARE(d.tensors.size(), std::size_t(1));
}

void InteropWeightDistance::missingFileIsNamed()
{
    QTemporaryDir dir;
    try {
        weightDistances(dir.filePath("no.safetensors").toStdString(), dir.filePath("no.safetensors").toStdString());
        QFAIL("no error");
    } catch (const Error& error) {
        QVERIFY(QString::fromUtf8(error.what()).contains("no.safetensors"));
    }
}

QTEST_APPLESS_MAIN(InteropWeightDistance)
#include "tst_interop_weight_distance.moc"
