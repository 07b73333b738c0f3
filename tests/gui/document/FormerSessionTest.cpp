// SPDX-License-Identifier: GPL-3.0-or-later

// A session of version 0.1 (tests/golden/former) is read, and written by present names.

#include <QFile>
#include <QtTest>

#include "ui/document/Session.h"

namespace headlight {

class FormerSessionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void namesOfBeforeAreRead() {
    QFile file(QStringLiteral(HEADLIGHT_GOLDEN_DIR "/former/session.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto session = sessionFromText(file.readAll(), QStringLiteral("session.json"));
    QVERIFY2(session.ok(), session.ok() ? "" : session.error().text().c_str());
    QVERIFY2(session->damaged.isEmpty(), qPrintable(session->damaged.join(QStringLiteral(", "))));
    QCOMPARE(session->view.method.name, std::string("feature-pca"));
    QCOMPARE(session->view.colorMap, ColorMap::Gray);
    QCOMPARE(session->experiment.model.attention["factorized"].get<bool>(), true);
    QCOMPARE(session->gallery, QStringList{QStringLiteral("a.png")});

    const QByteArray written = sessionToText(*session);
    QVERIFY(written.contains("\"factorized\""));
    QVERIFY(!written.contains("\"factorised\""));
    const auto again = sessionFromText(written, QStringLiteral("again.json"));
    QVERIFY(again.ok());
    QVERIFY(again->view == session->view);
  }
};

}  // namespace headlight

QTEST_GUILESS_MAIN(headlight::FormerSessionTest)
#include "FormerSessionTest.moc"
