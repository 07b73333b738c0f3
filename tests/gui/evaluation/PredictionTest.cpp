// SPDX-License-Identifier: GPL-3.0-or-later

// The best classes, and their change by an edit.

#include <QTest>

#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/evaluation/PredictionPanel.h"

using namespace headlight;
using namespace headlight::synthetic;

class PredictionTest : public QObject {
  Q_OBJECT

  static void edit(Document& document) {
    const auto made =
        makeMaskEdit(document.inputs().masks(), {{0, 0}}, HeadMask{MaskKind::Hard, 3}, "test");
    QVERIFY(made.ok());
    document.inputs().pushEdit(*made);
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void fiveBestInOrder() {
    Document document;
    fill(document);
    PredictionPanel panel(&document);
    QCOMPARE(panel.rows().size(), std::size_t{5});
    QCOMPARE(panel.rows()[0].name, std::string("thing 0"));
    QCOMPARE(panel.rows()[1].name, std::string("thing 2"));
    double sum = 0;
    for (const double logit : {3, 1, 2, 0, -1, -2})
      sum += std::exp(logit);
    QVERIFY(std::abs(panel.rows()[0].probability - std::exp(3) / sum) < 1e-9);
    for (std::size_t i = 0; i < 5; ++i) {
      QCOMPARE(panel.rows()[i].rank, static_cast<int>(i) + 1);
      QCOMPARE(panel.rows()[i].rankBefore, 0);
    }
    QVERIFY(!panel.accessibleDescription().contains("before"));
  }

  void comparesOnlyAfterAnEdit() {
    Document document;
    fill(document);
    PredictionPanel panel(&document);
    edit(document);
    // The edit's own result is not here yet: nothing to compare.
    QVERIFY(!panel.accessibleDescription().contains("before"));
    document.setInference(makeInference(document.inputs().model(), 1, {1, 4, 2, 0, -1, -2}), 5);
    QVERIFY(panel.accessibleDescription().contains("before"));
    QCOMPARE(panel.rows()[0].name, std::string("thing 1"));
    QCOMPARE(panel.rows()[0].rank, 1);
    QCOMPARE(panel.rows()[0].rankBefore, 3);
    QVERIFY(panel.rows()[0].probability > panel.rows()[0].probabilityBefore);
    QCOMPARE(panel.rows()[2].name, std::string("thing 0"));
    QCOMPARE(panel.rows()[2].rankBefore, 1);
  }

  void demoWarnsAboutOtherImages() {
    initializeHeadlightResources();
    Document document;
    ModelInfo demo = makeModel();
    for (const char* texture : {"striped", "checkered", "dotted"})
      for (const char* shape : {"disc", "triangle", "cross"})
        demo.classNames.push_back(std::string(texture) + " " + shape);
    fill(document, demo);
    PredictionPanel panel(&document);
    const auto noteOn = [&](const char* path) {
      document.setImage(makeImage(), QStringLiteral("x"), QString::fromLatin1(path));
      document.setInference(makeInference(document.inputs().model()), -1);
      return panel.note();
    };
    QVERIFY(
        noteOn("/home/me/photos/cat.jpg").contains(QStringLiteral("nine texture-shape classes")));
    QVERIFY(panel.accessibleDescription().startsWith(panel.note()));
    saveGrabs(panel, QStringLiteral("prediction-note"));
    QCOMPARE(noteOn(":/samples/dotted-disc.png"), QString());
    QCOMPARE(noteOn("/data/set/train/striped_cross/0007.png"), QString());
    demo.classNames.back() = "goldfinch";  // of another model
    document.setModel(demo);
    QCOMPARE(noteOn("/home/me/photos/cat.jpg"), QString());
    demo.classNames.clear();
    document.setModel(demo);
    QCOMPARE(noteOn("/home/me/photos/cat.jpg"), QString());
  }

  void formerBestClassIsStillShown() {
    Document document;
    fill(document);
    PredictionPanel panel(&document);
    edit(document);
    document.setInference(makeInference(document.inputs().model(), 1, {-5, 4, 2, 0, -1, -2}), 5);
    QCOMPARE(panel.rows().size(), std::size_t{6});
    QCOMPARE(panel.rows()[5].name, std::string("thing 0"));
    QCOMPARE(panel.rows()[5].rank, 6);
    QCOMPARE(panel.rows()[5].rankBefore, 1);
  }

  void barsAreAsLongAsProbabilities() {
    Document document;
    fill(document);
    PredictionPanel panel(&document);
    panel.resize(500, panel.sizeHint().height());
    const QColor bar = panel.palette().color(QPalette::Highlight);
    const QImage grabbed = panel.grab().toImage();
    const auto length = [&](int row) {
      const int line = panel.fontMetrics().height() + 5;
      const int y = 4 + line * (row + 1) + line / 2;
      int count = 0;
      for (int x = 0; x < grabbed.width(); ++x)
        count += distance(grabbed.pixelColor(x, y), bar) < 6;
      return count;
    };
    const double first = panel.rows()[0].probability, second = panel.rows()[1].probability;
    QVERIFY(length(0) > 20);
    QVERIFY(std::abs(length(1) - length(0) * second / first) < 4);
  }

  void emptyPanelReportsNoPrediction() {
    Document document;
    PredictionPanel panel(&document);
    QVERIFY(panel.rows().empty());
    QVERIFY(!panel.grab().isNull());
  }
};

QTEST_MAIN(PredictionTest)
#include "PredictionTest.moc"
