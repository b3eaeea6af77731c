#include "widgets/common/plurals.h"

#include <QCoreApplication>
#include <QTranslator>

namespace holo::widgets {

namespace {

class Plurals : public QTranslator {
public:
    using QTranslator::QTranslator;
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* disambiguation, int n) const override
    {
        Q_UNUSED(context)
        Q_UNUSED(disambiguation)
        const QString text = QString::fromUtf8(source);
        if (n < 0 || !text.contains("(s)"))
            return {};
        return QString(text).replace("(s)", n == 1 ? QString() : QStringLiteral("s"));
    }
};

}  // namespace

void installPlurals() { QCoreApplication::installTranslator(new Plurals(qApp)); }

}  // namespace holo::widgets
