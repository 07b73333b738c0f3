// SPDX-License-Identifier: GPL-3.0-or-later

// Other ways of looking in the window: the numbers are core's, choices are few clicks, and what is
// shown is said.

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include "core/workbench/attribution/Explanations.h"
#include "tests/gui/WindowFixture.h"
#include "ui/attribution/ExplanationView.h"
#include "ui/bridge/ExplanationBridge.h"
#include "ui/document/Session.h"
#include "ui/evaluation/PredictionPanel.h"
#include "ui/figures/ExplanationFigure.h"
#include "ui/plots/RunCurvesPlot.h"
#include "ui/workspace/PictureTabs.h"

using namespace headlight;

class ExplanationsTest : public QObject {
  Q_OBJECT

  struct Fixture : TestWindow {
    QTemporaryDir folder;
    ExplanationView* ways = nullptr;

    Fixture() {
      TestWindow& self = *this;
      OPEN_SMALL_MODEL(self);
      const QString picture = writePicture(folder.filePath("a.png"));
      OPEN_PICTURE(self, picture);
      auto* tabs = window.findChild<PictureTabs*>();
      QVERIFY(tabs);
      tabs->showPage("ways");
      ways = tabs->ways();
    }
    void choose(ExplanationMethod way) {
      document()->changeView([way](ViewOptions& view) { view.way.name = infoOf(way).name; });
    }
    std::shared_ptr<const ExplanationResult> result() const { return ways->bridge()->result(); }
    /// As core gives it, in a session of the test's own.
    Heatmap expected(ExplanationMethod way, const ExplanationOptions& options) {
      auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
      return valueOrThrow(classHeat(*session, rawPicture(session->info(), document()->image()),
                                    document()->masks(), way, options));
    }
    bool showsHeatmap(const std::vector<float>& values) const {
      const auto& map = ways->picture()->shownMap();
      return map && map->values == values;
    }
  };

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void showsTheRelevanceOfThePredictedClass() {
    Fixture f;
    const Heatmap heat = f.expected(ExplanationMethod::Relevance, {});
    QTRY_VERIFY(f.showsHeatmap(heat.values));
    QCOMPARE(f.ways->picture()->legend().title.section(" · ", 0, 0),
             QString::fromStdString(heatTitle(heat)));
    QVERIFY(f.ways->picture()->legend().note.contains("Chefer"));
  }

  void aClickOnThePredictionChoosesItsClass() {
    Fixture f;
    const auto panels = f->findChildren<PredictionPanel*>();
    const auto found = std::find_if(panels.begin(), panels.end(),
                                    [](const PredictionPanel* one) { return one->isVisible(); });
    QVERIFY(found != panels.end());
    PredictionPanel* panel = *found;
    QVERIFY(panel->rows().size() > 2);
    QTRY_VERIFY(f.result() && f.result()->heat);
    panel->grab();  // so that its rows have places
    for (int y = 0; y < panel->height() && f.document()->view().way.classIndex < 0; y += 4)
      QTest::mouseClick(panel, Qt::LeftButton, {}, {40, y});
    const int chosen = f.document()->view().way.classIndex;
    QVERIFY(chosen >= 0);
    const Heatmap heat = f.expected(ExplanationMethod::Relevance, {.classIndex = chosen});
    QTRY_VERIFY(f.showsHeatmap(heat.values));
    QCOMPARE(f.ways->findChild<QComboBox*>("wayClass")->currentIndex(), chosen + 1);
  }

  void layersAndMethodsAreChosen() {
    Fixture f;
    auto* ways = f.ways->findChild<QComboBox*>("ways");
    auto* layer = f.ways->findChild<QSpinBox*>("wayLayer");
    QVERIFY(!layer->isVisible());  // relevance is of all layers
    ways->setCurrentIndex(2);
    Q_EMIT ways->activated(2);
    QCOMPARE(f.document()->view().way.name, std::string("grad-cam"));
    QVERIFY(layer->isVisible());
    QTRY_VERIFY(f.showsHeatmap(f.expected(ExplanationMethod::GradCam, {}).values));
    layer->setValue(0);
    QTRY_VERIFY(f.showsHeatmap(f.expected(ExplanationMethod::GradCam, {.layer = 0}).values));
  }

  void similarityFollowsTheToken() {
    Fixture f;
    f.choose(ExplanationMethod::Similarity);
    QTRY_VERIFY(f.result() && f.result()->features);
    const auto features = f.result()->features;
    for (const int token : {3, 9}) {
      f.document()->pin(token);
      QTRY_VERIFY(f.showsHeatmap(similarityHeat(*features, token)->values));
    }
    QCOMPARE(f.result()->features, features);  // worked out once
  }

  void coloursTakeThePicturesPlace() {
    Fixture f;
    f.choose(ExplanationMethod::Features);
    QTRY_VERIFY(f.result() && f.result()->colors);
    QVERIFY(f.ways->picture()->legend().detail.contains("of the variance"));
    const QString other = writePicture(f.folder.filePath("b.png"), 40, 36, 90);
    f.ways->showTogether({other, f.document()->imagePath()});
    QTRY_VERIFY(f.result() && f.result()->colors && f.result()->colors->pictures.size() == 2);
    QVERIFY(f.ways->picture()->legend().title.contains("2 pictures together"));
  }

  void depthIsAPlot() {
    Fixture f;
    f.choose(ExplanationMethod::Depth);
    QTRY_VERIFY(f.result() && f.result()->depth);
    QVERIFY(f.ways->findChild<RunCurvesPlot*>("wayDepth")->isVisible());
    QCOMPARE(f.result()->depth->probabilities.size(), std::size_t(3));
  }

  void figuresShowWhatThePageShows() {
    Fixture f;
    for (const ExplanationMethod way :
         {ExplanationMethod::Relevance, ExplanationMethod::Features, ExplanationMethod::Depth}) {
      f.choose(way);
      QTRY_VERIFY(f.result() && f.result()->choice.name == infoOf(way).name);
      auto request = captureExplanation(*f.document(), *f.ways);
      QVERIFY2(request.ok(), request.ok() ? "" : request.error().text().c_str());
      const auto image = figureImage(*request);
      QVERIFY2(image.ok(), image.ok() ? "" : image.error().text().c_str());
      QVERIFY(!image->isNull());
    }
  }

  void anEditIsAskedAboutAnew() {
    Fixture f;
    QTRY_VERIFY(f.result() && f.result()->heat);
    const auto before = f.result()->heat->values;
    const auto edit = makeMaskEdit(f.document()->masks(), {{0, 0}, {1, 1}},
                                   HeadMask{MaskKind::Strict, 3}, "test");
    QVERIFY(edit.ok());
    f.document()->pushEdit(*edit);
    QTRY_VERIFY(!f.document()->isStale());
    const int predicted = f.document()->look()->top.front().index;
    const Heatmap heat = f.expected(ExplanationMethod::Relevance, {.classIndex = predicted});
    QTRY_VERIFY(f.showsHeatmap(heat.values));
    QVERIFY(f.result()->heat->values != before);
  }

  void faithfulnessIsThatOfCore() {
    Fixture f;
    QTRY_VERIFY(f.result() && f.result()->heat);
    const Heatmap heat = *f.result()->heat;
    auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
    const auto expected = valueOrThrow(faithfulness(
        *session, rawPicture(session->info(), f.document()->image()), f.document()->masks(),
        {{"heat", heat.values, heat.grid}}, {.classIndex = heat.classIndex}));
    auto* button = f.ways->findChild<QToolButton*>("wayJudge");
    QVERIFY(button && button->isVisible());
    button->click();
    const QString area = QString::number(expected.methods[0].deletion.area, 'f', 3);
    QTRY_VERIFY(f.ways->findChild<QLabel*>("wayState")
                    ->text()
                    .contains(QStringLiteral("deletion ") + area));
  }

  void aHiddenPageWorksNothingOut() {
    Fixture f;
    QTRY_VERIFY(f.result() && f.result()->heat);
    f->findChild<PictureTabs*>()->showPage("canvas");
    f.choose(ExplanationMethod::Features);
    QTest::qWait(50);
    QVERIFY(!f.ways->bridge()->isBusy());
    QVERIFY(f.result()->heat);
  }

  void theChoiceIsKeptInSessions() {
    ViewOptions view;
    view.way = {"grad-cam", 4, 2, true};
    const auto read = viewFromJson(viewToJson(view), ViewOptions());
    QVERIFY(read.ok());
    QVERIFY(read->way == view.way);
    const auto older = viewFromJson(Json::object(), view);
    QVERIFY(older.ok() && older->way == view.way);
    QVERIFY(!viewFromJson(Json{{"way", "by feel"}}, view).ok());
  }

  void everyWayHasACommand() {
    Fixture f;
    for (const ExplanationInfo& way : waysOfLooking()) {
      auto* command =
          f->findChild<QAction*>(QStringLiteral("view.way.") + QString::fromStdString(way.name));
      QVERIFY2(command, way.name.c_str());
      command->trigger();
      QCOMPARE(f.document()->view().way.name, way.name);
    }
    QTRY_VERIFY(!f.ways->bridge()->isBusy());
  }
};

QTEST_MAIN(ExplanationsTest)
#include "ExplanationsTest.moc"
