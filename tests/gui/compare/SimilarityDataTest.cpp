// SPDX-License-Identifier: GPL-3.0-or-later

// Similarity of layers over a dataset: core's numbers, in the matrix and in figures, canceled and
// repeated, and cached across starts.

#include <QComboBox>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QToolButton>

#include "core/workbench/evaluation/LayerSimilarity.h"
#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/bridge/AnalysisBridge.h"
#include "ui/compare/CompareView.h"
#include "ui/compare/SimilarityMatrix.h"
#include "ui/compare/SimilarityPage.h"
#include "ui/figures/FigureContent.h"
#include "ui/figures/FigureExport.h"
#include "ui/window/EffectController.h"

using namespace headlight;

namespace {

constexpr int kLong = 60000;

ImageSample drawnImages() {
  ImageSample sample;
  sample.data.validationSamples = 27;
  sample.data.trainSamples = 16;
  sample.samples = 9;
  return sample;
}

QString numberOf(double value) {
  return QString::number(static_cast<float>(value), 'f', 3);
}

}  // namespace

class SimilarityDataTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
    m_image = writeImage(m_folder->filePath(QStringLiteral("image.png")));
  }

  void matchesCore() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    showLayers(test);
    auto* source = find<QComboBox>(test, "similaritySource");
    QVERIFY(!source->isEnabled());  // no dataset was chosen
    test->effect()->layers()->setSample(drawnImages());
    QVERIFY(source->isEnabled());
    auto* matrix = test.window.findChild<SimilarityMatrix*>();
    QTRY_VERIFY(!matrix->describePair(0, 1).isEmpty());
    const QString ofImage = matrix->describePair(0, 1);
    overData(test);
    QTRY_VERIFY_WITH_TIMEOUT(averages(test), kLong);
    const auto session = InferenceSession::create(smallExperiment());
    QVERIFY(session);
    const auto direct =
        measureSimilarity(**session, drawnImages(), test.document()->inputs().masks());
    QVERIFY2(direct, direct ? "" : direct.error().text().c_str());
    QCOMPARE(averages(test)->values, direct->values);
    QCOMPARE(averages(test)->images, 9);
    for (const int head : {-1, 0, 1}) {
      test.document()->view().change([&](ViewOptions& view) { view.head = head; });
      QCOMPARE(matrix->describePair(0, 1),
               QStringLiteral("layer 0 and layer 1: ") + numberOf(direct->of(head)[1]));
    }
    // Of random weights they are alike to three digits, and yet others.
    const AnalysisBridge* alone = AnalysisBridge::of(test.document());
    QTRY_VERIFY(alone->similarity() && alone->similarity()->head == 1);
    QVERIFY(alone->similarity()->values[1] != static_cast<float>(direct->of(1)[1]));
    const QString state = page(test)->stateText();
    QVERIFY2(state.startsWith(QStringLiteral("mean of 9 images, measured on ")), qPrintable(state));
    synthetic::saveGrabs(*page(test), QStringLiteral("similarity-data"));

    const auto figure = captureFigure(*test.document(), FigureKind::Similarity);
    QVERIFY(figure);
    const auto content = figureContent(*figure);
    QVERIFY(content);
    QCOMPARE(content->similarity[1], static_cast<float>(direct->of(1)[1]));
    QVERIFY(content->legend.title.contains(QStringLiteral("mean of 9 images")));

    // Of the image again.
    source->setCurrentIndex(0);
    Q_EMIT source->activated(0);
    test.document()->view().change([](ViewOptions& view) { view.head = -1; });
    QTRY_COMPARE(matrix->describePair(0, 1), ofImage);
  }

  void followsAnEditAndCanBeCanceled() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    showLayers(test);
    SimilarityBridge* bridge = test->effect()->layers();
    bridge->setSample(drawnImages());
    overData(test);
    QTRY_VERIFY_WITH_TIMEOUT(averages(test), kLong);
    const auto before = averages(test);
    test.document()->inputs().pushEdit(*makeMaskEdit(test.document()->inputs().masks(),
                                                     {{0, 0}, {1, 0}, {2, 1}},
                                                     {MaskKind::Strict, 1}, "strict"));
    QTRY_VERIFY_WITH_TIMEOUT(averages(test) && averages(test) != before, kLong);
    QVERIFY(averages(test)->values != before->values);
    // Back under the first masks: kept, and the same.
    test.document()->inputs().undoStack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(averages(test)->values == before->values, kLong);
    QCOMPARE(averages(test)->measured, before->measured);

    ImageSample many = drawnImages();
    many.data.validationSamples = 100'000;
    many.samples = 0;
    bridge->setSample(many);
    QVERIFY(!averages(test));
    QTRY_VERIFY_WITH_TIMEOUT(bridge->isBusy() && bridge->progress().done > 0, kLong);
    auto* cancel = find<QToolButton>(test, "similarityCancel");
    QVERIFY(cancel->isVisible());
    cancel->click();
    QVERIFY(!bridge->isDue());
    QVERIFY(!test.document()->numbers().layers().averaged);
    QCOMPARE(find<QComboBox>(test, "similaritySource")->currentIndex(), 0);
    QVERIFY(!test.document()->numbers().layers().values);
  }

  void anotherModelIsMeasuredAgain() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, m_image);
    showLayers(test);
    SimilarityBridge* bridge = test->effect()->layers();
    bridge->setSample(drawnImages());
    overData(test);
    QTRY_VERIFY_WITH_TIMEOUT(averages(test), kLong);
    Experiment deeper = smallExperiment();
    deeper.model.depth = 4;
    test->modelWorker()->createModel(deeper);
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().model().heads.size(), 4u, kLong);
    bridge->setSample(drawnImages());
    overData(test);
    QTRY_VERIFY_WITH_TIMEOUT(averages(test) && averages(test)->layers == 4, kLong);
  }

  void resultsAreCachedAcrossStarts() {
    const QString session = m_folder->filePath(QStringLiteral("session.json"));
    std::string measured;
    for (const bool again : {false, true}) {
      TestWindow test(session);
      OPEN_SMALL_MODEL(test);
      OPEN_IMAGE(test, m_image);
      showLayers(test);
      SimilarityBridge* bridge = test->effect()->layers();
      bridge->setSample(drawnImages());
      bool worked = false;
      connect(bridge, &SimilarityBridge::changed, this,
              [&] { worked = worked || bridge->progress().done > 0; });
      overData(test);
      QTRY_VERIFY_WITH_TIMEOUT(averages(test) && !bridge->isDue(), kLong);
      QCOMPARE(worked, !again);
      if (again) QCOMPARE(averages(test)->measured, measured);
      measured = averages(test)->measured;
      disconnect(bridge, nullptr, this, nullptr);
      // Unless somebody wants it anew.
      if (!again) continue;
      const auto before = averages(test);
      find<QToolButton>(test, "similarityAnew")->click();
      QTRY_VERIFY_WITH_TIMEOUT(averages(test) != before, kLong);
      QCOMPARE(averages(test)->values, before->values);
    }
  }

 private:
  template <typename T>
  static T* find(TestWindow& test, const char* name) {
    return test.window.findChild<T*>(QString::fromLatin1(name));
  }
  static SimilarityPage* page(TestWindow& test) { return test.window.findChild<SimilarityPage*>(); }
  static void showLayers(TestWindow& test) {
    test->showTab(QStringLiteral("compare"));
    test.window.findChild<CompareView*>()->setPage(CompareView::Page::Layers);
  }
  static void overData(TestWindow& test) {
    auto* source = find<QComboBox>(test, "similaritySource");
    source->setCurrentIndex(1);
    Q_EMIT source->activated(1);
  }
  static std::shared_ptr<const LayerSimilarity> averages(TestWindow& test) {
    return test.document()->numbers().layers().values;
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_image;
};

QTEST_MAIN(SimilarityDataTest)
#include "SimilarityDataTest.moc"
