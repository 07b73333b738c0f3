// SPDX-License-Identifier: GPL-3.0-or-later

// Throttle's contract: every wake is answered, answers keep their distance, one out of turn answers
// those that wait.

#include "ui/bridge/Throttle.h"

#include <QElapsedTimer>
#include <QTest>

#include <vector>

using namespace headlight;

class ThrottleTest : public QObject {
  Q_OBJECT

  static constexpr int kInterval = 60;

 private Q_SLOTS:
  void everyWakeIsAnsweredAndAnswersKeepTheirDistance() {
    QElapsedTimer clock;
    clock.start();
    std::vector<qint64> calls;
    Throttle throttle(kInterval, [&] { calls.push_back(clock.elapsed()); });
    throttle.wake();
    QCOMPARE(calls.size(), std::size_t(1));  // nothing to wait for
    while (clock.elapsed() < 5 * kInterval) {
      throttle.wake();
      QTest::qWait(1);  // time itself is what is tested, here and below
    }
    const auto answered = calls.size();
    throttle.wake();
    QTRY_VERIFY(calls.size() > answered);
    for (std::size_t i = 1; i < calls.size(); ++i)
      QVERIFY2(calls[i] - calls[i - 1] >= kInterval - 2, qPrintable(QString::number(calls[i])));
  }

  void oneOutOfTurnAnswersThoseThatWait() {
    int calls = 0;
    Throttle throttle(kInterval, [&] { ++calls; });
    throttle.wake();
    throttle.wake();  // waits
    QCOMPARE(calls, 1);
    throttle.runNow();
    QCOMPARE(calls, 2);
    QTest::qWait(2 * kInterval);  // when the one that waited would have been answered
    QCOMPARE(calls, 2);
    throttle.wake();
    QCOMPARE(calls, 3);
  }

  void nothingIsCalledAfterItsEnd() {
    int calls = 0;
    {
      Throttle throttle(kInterval, [&] { ++calls; });
      throttle.wake();
      throttle.wake();
    }
    QTest::qWait(2 * kInterval);  // as above
    QCOMPARE(calls, 1);
  }
};

QTEST_MAIN(ThrottleTest)
#include "ThrottleTest.moc"
