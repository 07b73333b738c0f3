// SPDX-License-Identifier: GPL-3.0-or-later

// Every head by depth: the saved figure matches the one shown.

#include <QFile>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

#include "core/workbench/figures/HeadFigure.h"
#include "tests/gui/Grab.h"
#include "ui/figures/HeadFigureDialog.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;

class HeadFigureDialogTest : public QObject {
  Q_OBJECT

  static HeadValues values() {
    HeadValues values;
    values.measure = HeadMetric::Entropy;
    values.images = 8;
    for (int l = 0; l < 12; ++l) {
      values.values.push_back({0.9 - 0.05 * l, 0.8 - 0.03 * l, 0.95 - 0.02 * l});
      values.deviations.push_back({0.02, 0.05, 0.01});
      values.chance.push_back(1);
    }
    return values;
  }

 private Q_SLOTS:
  void shownFigureIsSaved() {
    const QTemporaryDir folder;
    HeadFigureDialog dialog(values(), "entropy · deit_tiny · 8 images");
    dialog.show();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    synthetic::saveGrabs(dialog, "heads-by-depth");
    const auto labels = dialog.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(),
                        [](QLabel* label) { return label->pixmap().width() > 300; }));
    dialog.save(folder.filePath("heads.csv"));
    QFile file(folder.filePath("heads.csv"));
    QVERIFY(file.open(QFile::ReadOnly));
    QCOMPARE(QString::fromUtf8(file.readAll()), QString::fromStdString(headValuesCsv(values())));
    for (const char* name : {"heads.pdf", "heads.svg", "heads.png"}) {
      dialog.save(folder.filePath(name));
      QVERIFY(QFile::exists(folder.filePath(name)));
    }
    dialog.save(folder.filePath("none/heads.pdf"));
    const auto* status = dialog.findChild<MessageLabel*>();
    QCOMPARE(status->tone(), MessageLabel::Tone::Problem);
  }
};

QTEST_MAIN(HeadFigureDialogTest)
#include "HeadFigureDialogTest.moc"
