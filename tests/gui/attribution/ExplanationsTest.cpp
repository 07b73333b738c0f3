// SPDX-License-Identifier: GPL-3.0-or-later

// Explanations in the window: core's numbers, the choice of method, class and layer, and captions.

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/objects/ObjectDrawing.h"
#include "core/workbench/objects/SegmentMatch.h"
#include "tests/gui/WindowFixture.h"
#include "ui/attribution/ExplanationView.h"
#include "ui/attribution/ObjectOptionsButton.h"
#include "ui/bridge/ExplanationBridge.h"
#include "ui/document/KnownTruth.h"
#include "ui/document/Session.h"
#include "ui/evaluation/PredictionPanel.h"
#include "ui/figures/ExplanationFigure.h"
#include "ui/forms/ParameterForm.h"
#include "ui/plots/RunCurvesPlot.h"
#include "ui/workspace/ImageTabs.h"

using namespace headlight;

namespace {

bool holdsColor(const QImage& image, const DrawnColor& color) {
  const QRgb wanted = qRgb(color.red, color.green, color.blue);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.pixel(x, y) == wanted) return true;
  return false;
}

}  // namespace

class ExplanationsTest : public QObject {
  Q_OBJECT

  struct Fixture : TestWindow {
    QTemporaryDir folder;
    ExplanationView* explanations = nullptr;

    Fixture() {
      TestWindow& self = *this;
      OPEN_SMALL_MODEL(self);
      const QString image = writeImage(folder.filePath("a.png"));
      OPEN_IMAGE(self, image);
      auto* tabs = window.findChild<ImageTabs*>();
      QVERIFY(tabs);
      tabs->showPage("explain");
      explanations = tabs->explanations();
    }
    void choose(const std::string& method) {
      document()->view().change([method](ViewOptions& view) { view.method.name = method; });
    }
    std::shared_ptr<const ExplanationResult> result() const {
      return explanations->bridge()->result();
    }
    /// Core's result, in a separate session.
    Heatmap expected(const std::string& method, const ExplanationOptions& options) {
      auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
      return valueOrThrow(imageHeatmap(*session,
                                       rawImage(session->info(), document()->inputs().image()),
                                       document()->inputs().masks(), method, options));
    }
    bool showsHeatmap(const std::vector<float>& values) const {
      const auto& map = explanations->image()->shownMap();
      return map && map->values == values;
    }
  };

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void showsTheRelevanceOfThePredictedClass() {
    Fixture f;
    const Heatmap heatmap = f.expected("relevance", {});
    QTRY_VERIFY(f.showsHeatmap(heatmap.values));
    QCOMPARE(f.explanations->image()->legend().title.section(" · ", 0, 0),
             QString::fromStdString(heatmapTitle(heatmap)));
    QVERIFY(f.explanations->image()->legend().note.contains("Chefer"));
  }

  void aClickOnThePredictionChoosesItsClass() {
    Fixture f;
    const auto panels = f->findChildren<PredictionPanel*>();
    const auto found = std::find_if(panels.begin(), panels.end(),
                                    [](const PredictionPanel* one) { return one->isVisible(); });
    QVERIFY(found != panels.end());
    PredictionPanel* panel = *found;
    QVERIFY(panel->rows().size() > 2);
    QTRY_VERIFY(f.result() && f.result()->heatmap);
    panel->grab();  // so that its rows have places
    for (int y = 0; y < panel->height() && f.document()->view().options().method.classIndex < 0;
         y += 4)
      QTest::mouseClick(panel, Qt::LeftButton, {}, {40, y});
    const int chosen = f.document()->view().options().method.classIndex;
    QVERIFY(chosen >= 0);
    const Heatmap heatmap = f.expected("relevance", {.classIndex = chosen});
    QTRY_VERIFY(f.showsHeatmap(heatmap.values));
    QCOMPARE(f.explanations->findChild<QComboBox*>("wayClass")->currentIndex(), chosen + 1);
  }

  void layersAndMethodsAreChosen() {
    Fixture f;
    auto* explanations = f.explanations->findChild<QComboBox*>("explanations");
    auto* layer = f.explanations->findChild<QSpinBox*>("wayLayer");
    QVERIFY(!layer->isVisible());  // relevance is of all layers
    explanations->setCurrentIndex(2);
    Q_EMIT explanations->activated(2);
    QCOMPARE(f.document()->view().options().method.name, std::string("grad-cam"));
    QVERIFY(layer->isVisible());
    QTRY_VERIFY(f.showsHeatmap(f.expected("grad-cam", {}).values));
    layer->setValue(0);
    QTRY_VERIFY(f.showsHeatmap(f.expected("grad-cam", {.layer = 0}).values));
  }

  void similarityFollowsTheToken() {
    Fixture f;
    f.choose("similarity");
    QTRY_VERIFY(f.result() && f.result()->features);
    const auto features = f.result()->features;
    for (const int token : {3, 9}) {
      f.document()->view().pin(token);
      QTRY_VERIFY(f.showsHeatmap(tokenHeatmap("similarity", *features, token)->values));
    }
    QCOMPARE(f.result()->features, features);  // worked out once
  }

  void colorsReplaceImage() {
    Fixture f;
    f.choose("feature-pca");
    QTRY_VERIFY(f.result() && f.result()->colors);
    QVERIFY(f.explanations->image()->legend().detail.contains("of the variance"));
    const QString other = writeImage(f.folder.filePath("b.png"), 40, 36, 90);
    f.explanations->showTogether({other, f.document()->inputs().imagePath()});
    QTRY_VERIFY(f.result() && f.result()->colors && f.result()->colors->images.size() == 2);
    QVERIFY(f.explanations->image()->legend().title.contains("2 images together"));
  }

  void anObjectHasABoxAndItsOverlap() {
    Fixture f;
    const auto truth =
        std::make_shared<const KnownTruth>(KnownTruth{{{{4, 4, 30, 30}, 0, 900, false}}, {"cat"}});
    const Image image = f.document()->inputs().image();
    f.document()->setImage(image, "a.png", f.document()->inputs().imagePath(), truth);
    QTRY_VERIFY(f.document()->inference() && !f.document()->isStale());
    f.choose("dino-mask");
    const Heatmap heatmap = f.expected("dino-mask", {});
    QVERIFY(heatmap.box);
    QTRY_VERIFY(f.showsHeatmap(heatmap.values));
    const BoxSides pixels =
        pixelSides(*heatmap.box, image.width, image.height, smallExperiment().model);
    const QString detail = f.explanations->image()->legend().detail;
    QVERIFY2(detail.contains(
                 QStringLiteral("box %1, %2 to").arg(qRound(pixels[0])).arg(qRound(pixels[1]))),
             qPrintable(detail));
    const std::string overlap =
        matchText(bestTrueBox(pixels, truth->boxes), truth->boxes, truth->classNames);
    QVERIFY(overlap.starts_with("IoU "));
    QVERIFY2(detail.contains(QString::fromStdString(overlap)), qPrintable(detail));
    QVERIFY(!f.explanations->findChild<QToolButton*>("wayJudge")->isVisible());
    QVERIFY(!f.explanations->image()->grab().isNull());
    const auto figure = captureExplanation(*f.document(), *f.explanations);
    QVERIFY2(figure.ok(), figure.ok() ? "" : figure.error().text().c_str());
    QVERIFY(figure->sides[0].found == heatmap.box);
    QCOMPARE(figure->sides[0].truth.size(), std::size_t{1});
    QVERIFY(figure->caption.detail.contains(QString::fromStdString(overlap)));
    const auto drawn = figureImage(*figure);
    QVERIFY2(drawn.ok(), drawn.ok() ? "" : drawn.error().text().c_str());
    QVERIFY(holdsColor(*drawn, foundColor()));
  }

  void segmentsMeasureTheMask() {
    Fixture f;
    const Image image = f.document()->inputs().image();
    KnownTruth known{{}, {"sea", "sky"}};
    known.segments = {image.width, image.height, {}};
    known.segments.classes.assign(
        static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height), 1);
    const auto truth = std::make_shared<const KnownTruth>(known);
    f.document()->setImage(image, "a.png", f.document()->inputs().imagePath(), truth);
    QTRY_VERIFY(f.document()->inference() && !f.document()->isStale());
    f.choose("dino-mask");
    const Heatmap heatmap = f.expected("dino-mask", {});
    QTRY_VERIFY(f.showsHeatmap(heatmap.values));
    std::vector<char> marked;
    for (const float value : heatmap.values)
      marked.push_back(value > 0 ? 1 : 0);
    const auto match =
        bestTrueClass(marked, heatmap.grid, truth->segments, smallExperiment().model);
    QCOMPARE(match.label, 1);
    const QString detail = f.explanations->image()->legend().detail;
    QVERIFY2(detail.contains(QString::fromStdString(maskMatchText(match, truth->classNames))),
             qPrintable(detail));
    QVERIFY2(detail.contains("; IoU "), qPrintable(detail));
  }

  void optionsOfObjectsAreChosen() {
    Fixture f;
    auto* button = f.explanations->findChild<ObjectOptionsButton*>("wayObjectOptions");
    QVERIFY(button && !button->isVisible());
    f.choose("dino-mask");
    QVERIFY(button->isVisible());
    f.document()->view().change([](ViewOptions& view) { view.method.objects.mass = 0.2; });
    QCOMPARE(button->form()->values()["mass"].get<double>(), 0.2);
    const Heatmap less = f.expected("dino-mask", {.objects = {.mass = 0.2}});
    QTRY_VERIFY(f.showsHeatmap(less.values));
    button->form()->setValue("mass", 1.0);
    Q_EMIT button->form()->changed();
    QCOMPARE(f.document()->view().options().method.objects.mass, 1.0);
    const Heatmap all = f.expected("dino-mask", {.objects = {.mass = 1}});
    QTRY_VERIFY(f.showsHeatmap(all.values));
    QVERIFY(all.values != less.values);
    f.choose("lost");
    f.document()->view().change([](ViewOptions& view) { view.method.objects.feature = "tokens"; });
    const Heatmap tokens = f.expected("lost", {.objects = {.feature = "tokens"}});
    QTRY_VERIFY(f.showsHeatmap(tokens.values));
  }

  void logitLensIsAPlot() {
    Fixture f;
    f.choose("logit-lens");
    QTRY_VERIFY(f.result() && f.result()->depth);
    QVERIFY(f.explanations->findChild<RunCurvesPlot*>("wayDepth")->isVisible());
    QCOMPARE(f.result()->depth->probabilities.size(), std::size_t(3));
  }

  void figuresMatchPage() {
    Fixture f;
    for (const char* method : {"relevance", "feature-pca", "logit-lens"}) {
      f.choose(method);
      QTRY_VERIFY(f.result() && f.result()->choice.name == method);
      auto request = captureExplanation(*f.document(), *f.explanations);
      QVERIFY2(request.ok(), request.ok() ? "" : request.error().text().c_str());
      const auto image = figureImage(*request);
      QVERIFY2(image.ok(), image.ok() ? "" : image.error().text().c_str());
      QVERIFY(!image->isNull());
    }
  }

  void editRecomputesExplanation() {
    Fixture f;
    QTRY_VERIFY(f.result() && f.result()->heatmap);
    const auto before = f.result()->heatmap->values;
    const auto edit = makeMaskEdit(f.document()->inputs().masks(), {{0, 0}, {1, 1}},
                                   HeadMask{MaskKind::Strict, 3}, "test");
    QVERIFY(edit.ok());
    f.document()->inputs().pushEdit(*edit);
    QTRY_VERIFY(!f.document()->isStale());
    const int predicted = f.document()->inference()->top.front().index;
    const Heatmap heatmap = f.expected("relevance", {.classIndex = predicted});
    QTRY_VERIFY(f.showsHeatmap(heatmap.values));
    QVERIFY(f.result()->heatmap->values != before);
  }

  void faithfulnessMatchesCore() {
    Fixture f;
    QTRY_VERIFY(f.result() && f.result()->heatmap);
    const Heatmap heatmap = *f.result()->heatmap;
    auto session = valueOrThrow(InferenceSession::create(smallExperiment()));
    const auto expected = valueOrThrow(
        faithfulness(*session, rawImage(session->info(), f.document()->inputs().image()),
                     f.document()->inputs().masks(), {{"heat", heatmap.values, heatmap.grid}},
                     {.classIndex = heatmap.classIndex}));
    auto* button = f.explanations->findChild<QToolButton*>("wayJudge");
    QVERIFY(button && button->isVisible());
    button->click();
    const QString area = QString::number(expected.methods[0].deletion.area, 'f', 3);
    QTRY_VERIFY(f.explanations->findChild<QLabel*>("wayState")
                    ->text()
                    .contains(QStringLiteral("deletion ") + area));
  }

  void hiddenPageComputesNothing() {
    Fixture f;
    QTRY_VERIFY(f.result() && f.result()->heatmap);
    f->findChild<ImageTabs*>()->showPage("canvas");
    f.choose("feature-pca");
    QTest::qWait(50);
    QVERIFY(!f.explanations->bridge()->isBusy());
    QVERIFY(f.result()->heatmap);
  }

  void theChoiceIsKeptInSessions() {
    ViewOptions view;
    view.method = {"grad-cam", 4, 2, true};
    view.method.objects = {.feature = "values", .mass = 0.3, .seeds = 7};
    const auto read = viewFromJson(viewToJson(view), ViewOptions());
    QVERIFY(read.ok());
    QVERIFY(read->method == view.method);
    const auto older = viewFromJson(Json::object(), view);
    QVERIFY(older.ok() && older->method == view.method);
    QVERIFY(!viewFromJson(Json{{"way", "by feel"}}, view).ok());
    QVERIFY(!viewFromJson(Json{{"way_objects", {{"mass", 2}}}}, view).ok());
    // As older versions named them.
    using Names = std::pair<const char*, const char*>;
    for (const auto& [older, now] :
         {Names("features", "feature-pca"), Names("depth", "logit-lens")})
      QCOMPARE(viewFromJson(Json{{"way", older}}, view)->method.name, std::string(now));
  }

  void everyMethodHasACommand() {
    Fixture f;
    for (const ExplanationInfo& method : explanationMethods()) {
      auto* command =
          f->findChild<QAction*>(QStringLiteral("view.way.") + QString::fromStdString(method.name));
      QVERIFY2(command, method.name.c_str());
      command->trigger();
      QCOMPARE(f.document()->view().options().method.name, method.name);
    }
    QTRY_VERIFY(!f.explanations->bridge()->isBusy());
  }
};

QTEST_MAIN(ExplanationsTest)
#include "ExplanationsTest.moc"
