// SPDX-License-Identifier: GPL-3.0-or-later

// Class report: the numbers of the evaluation, the images that open, and that it
// follows an edit.

#include <QAction>
#include <QLabel>
#include <QRegularExpression>
#include <QTableWidget>

#include "core/base/files/Files.h"
#include "core/workbench/evaluation/ClassReport.h"
#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/evaluation/ClassReportDialog.h"
#include "ui/evaluation/ConfusionView.h"
#include "ui/evaluation/ThumbnailList.h"
#include "ui/window/EffectController.h"

using namespace headlight;

namespace {

constexpr int kLong = 60000;

ImageSample drawnImages() {
  ImageSample sample;
  sample.data.validationSamples = 27;
  sample.data.trainSamples = 16;
  sample.samples = 27;
  return sample;
}

}  // namespace

class DatasetDialogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
  }

  void showsWhatIsMeasuredAndFollowsAnEdit() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const QString image = writeImage(path("image.png"));
    OPEN_IMAGE(test, image);
    MaskEffectBridge* bridge = test->effect()->bridge();
    bridge->setSample(drawnImages());
    test->actions()->find(QStringLiteral("masks.effect.classes"))->trigger();
    auto* dialog = test.window.findChild<ClassReportDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present(), kLong);
    QTRY_COMPARE(dialog->classes()->rowCount(), 9);
    const ClassReport report = classReport(*bridge->present());
    QCOMPARE(dialog->classes()->item(0, 1)->text(), QStringLiteral("3"));
    QCOMPARE(dialog->classes()->item(4, 4)->text(),
             QString::number(report.classes[4].loss, 'f', 3));
    QCOMPARE(dialog->worst()->count(), 24);
    const QString said = dialog->confusion()->describeCell(0, 0);
    QVERIFY2(said.contains(QStringLiteral("of 3 images are correct")), qPrintable(said));
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->worst()->item(0)->icon().isNull(), kLong);
    synthetic::saveGrabs(*dialog, QStringLiteral("dataset-classes"));

    const auto before = bridge->present();
    test.document()->inputs().pushEdit(*makeMaskEdit(test.document()->inputs().masks(),
                                                     {{0, 0}, {1, 0}, {2, 1}},
                                                     {MaskKind::Strict, 1}, "strict"));
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present() && bridge->present() != before, kLong);
    const ClassReport after = classReport(*bridge->present());
    QTRY_COMPARE(dialog->classes()->item(4, 4)->text(),
                 QString::number(after.classes[4].loss, 'f', 3));

    const QString file = dialog->worst()->item(0)->data(Qt::UserRole).toString();
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->worst()->item(0)->icon().isNull(), kLong);
    Q_EMIT dialog->worst()->itemActivated(dialog->worst()->item(0));
    QCOMPARE(test.document()->inputs().imageName(), file);
  }

  void tablesAreExported() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    const QString image = writeImage(path("image.png"));
    OPEN_IMAGE(test, image);
    MaskEffectBridge* bridge = test->effect()->bridge();
    bridge->setSample(drawnImages());
    test->actions()->find(QStringLiteral("masks.effect.classes"))->trigger();
    auto* dialog = test.window.findChild<ClassReportDialog*>();
    dialog->exportClasses(path("too-early.csv"));
    QVERIFY(!QFile::exists(path("too-early.csv")));
    QTRY_VERIFY_WITH_TIMEOUT(bridge->present(), kLong);
    dialog->exportClasses(path("classes.csv"));
    dialog->exportConfusion(path("confusion.csv"));
    const auto text = [&](const char* name) {
      return *readFile(path(name).toStdString(), 1u << 20);
    };
    const ClassReport report = classReport(*bridge->present());
    QCOMPARE(text("classes.csv"), classesCsv(report));
    QCOMPARE(text("confusion.csv"), confusionCsv(report, *bridge->present()));
  }

 private:
  QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }
  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(DatasetDialogTest)
#include "ClassReportDialogTest.moc"
