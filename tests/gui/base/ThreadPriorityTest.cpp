// SPDX-License-Identifier: GPL-3.0-or-later

// Threads of the window's work let the window go first.

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <future>

#include <sys/resource.h>

#include "ui/base/BackgroundTask.h"
#include "ui/base/WorkerThread.h"

using namespace headlight;

namespace {

int ownNice() {
  return getpriority(PRIO_PROCESS, 0);
}

}  // namespace

class ThreadPriorityTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (ownNice() >= 19) QSKIP("runs behind everything already");
  }
  void workersAndWhatTheyStartYield() {
    WorkerThread worker;
    std::promise<std::pair<int, int>> found;
    worker.post([&found](std::stop_token) {
      const int own = ownNice();
      found.set_value({own, std::async(std::launch::async, ownNice).get()});
    });
    const auto [own, started] = found.get_future().get();
    QVERIFY2(own > ownNice(), qPrintable(QString::number(own)));
    QCOMPARE(started, own);
  }

  void backgroundTasksYield() {
    BackgroundTask task;
    int nice = ownNice();
    task.run<int>([](std::stop_token) { return ownNice(); }, [&](int found) { nice = found; });
    QTRY_VERIFY(!task.isBusy());
    QVERIFY2(nice > ownNice(), qPrintable(QString::number(nice)));
  }
};

QTEST_GUILESS_MAIN(ThreadPriorityTest)
#include "ThreadPriorityTest.moc"
