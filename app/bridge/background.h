#pragma once

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <memory>

namespace holo::bridge {

// Short work beside the window: the newest start counts, results of older ones are dropped, the owner may die meanwhile. `work` runs in a
// pool thread and returns a value; `done` gets it in the owner's thread.
class Background {
public:
    explicit Background(QObject* owner)
        : m_owner(owner)
        , m_token(std::make_shared<int>(0))
    {
    }

    template <class Work, class Done>
    void start(Work work, Done done)
    {
        const int mine = ++*m_token;
        QThreadPool::globalInstance()->start([owner = m_owner, token = m_token, mine, work = std::move(work), done = std::move(done)]() mutable {
            auto result = work();
            QMetaObject::invokeMethod(
                qApp,
                [owner, token, mine, result = std::move(result), done = std::move(done)]() mutable {
                    if (owner && *token == mine)
                        done(std::move(result));
                },
                Qt::QueuedConnection);
        });
    }
    void cancel() { ++*m_token; }

private:
    QPointer<QObject> m_owner;
    std::shared_ptr<int> m_token;  // only the owner's thread touches it
};

}  // namespace holo::bridge
