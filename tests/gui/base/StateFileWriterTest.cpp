// SPDX-License-Identifier: GPL-3.0-or-later

// What a window keeps of its lists reaches its file, whenever the window closes.

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "ui/base/StateFileWriter.h"

using namespace headlight;

class StateFileWriterTest : public QObject {
  Q_OBJECT

  static QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private Q_SLOTS:
  void theNewestIsThereAtTheEnd() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("state.json"));
    for (int round = 0; round < 50; ++round) {
      StateFileWriter writer;
      for (int i = 0; i <= round; ++i)
        writer.write(path.toStdString(), std::to_string(round) + "/" + std::to_string(i));
      writer.write({}, "nowhere");
      // Closed at once, while the thread may have written any of them.
    }
    QCOMPARE(bytesOf(path), QByteArray("49/49"));
  }

  void itIsWrittenWithoutAnEnd() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("state.json"));
    StateFileWriter writer;
    writer.write(path.toStdString(), "first");
    QTRY_COMPARE(bytesOf(path), QByteArray("first"));
    writer.write(path.toStdString(), "second");
    QTRY_COMPARE(bytesOf(path), QByteArray("second"));
  }
};

QTEST_MAIN(StateFileWriterTest)
#include "StateFileWriterTest.moc"
