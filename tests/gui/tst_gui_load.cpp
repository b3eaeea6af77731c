#include <QTest>
#include <cmath>
#include <ctime>
#include <unistd.h>

#include "app/bridge/machine_load.h"

using holo::bridge::LoadMeter;

class GuiLoad : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void thisMachine();
    void aBusyProcessIsSeen();
    void processesThatAreGone();
    void withoutTheLibraryThereIsNoDevice();
    void devices();
};

void GuiLoad::thisMachine()
{
    LoadMeter meter("no such library");
    QVERIFY(std::isnan(meter.sample({}).busy));
    QTest::qWait(60);
    const auto load = meter.sample({});
    QVERIFY(load.busy >= 0 && load.busy <= 1);
    QVERIFY(load.cores >= 1);
    QVERIFY(load.usedBytes > 0 && load.usedBytes < load.totalBytes);
}

void GuiLoad::aBusyProcessIsSeen()
{
    LoadMeter meter("no such library");
    const std::int64_t self = ::getpid();
    QVERIFY(std::isnan(meter.sample({self}).processes.at(self).cores));
    const std::clock_t start = std::clock();
    while (std::clock() - start < CLOCKS_PER_SEC / 5) { }
    const auto load = meter.sample({self}).processes.at(self);
    QVERIFY(load.cores > 0 && load.cores <= 1.3);
    QVERIFY(load.bytes > 1e6);
}

void GuiLoad::processesThatAreGone()
{
    LoadMeter meter("no such library");
    QVERIFY(meter.sample({0, -1, std::int64_t(1) << 40}).processes.empty());
}

void GuiLoad::withoutTheLibraryThereIsNoDevice() { QVERIFY(LoadMeter("no such library").sample({}).gpus.empty()); }

void GuiLoad::devices()
{
    const auto gpus = LoadMeter(QCoreApplication::applicationDirPath() + "/libfake_nvml.so").sample({}).gpus;
    QCOMPARE(gpus.size(), std::size_t(1));
    QCOMPARE(gpus[0].name, QString("Device 7"));
    QCOMPARE(gpus[0].percent, 83);
    QCOMPARE(gpus[0].usedBytes, 600.0);
    QCOMPARE(gpus[0].totalBytes, 1000.0);
}

QTEST_GUILESS_MAIN(GuiLoad)
#include "tst_gui_load.moc"
