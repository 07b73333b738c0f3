// SPDX-License-Identifier: GPL-3.0-or-later

// The objects of a document report a change that concerns several of them in one order.

#include <QTest>

#include <utility>

#include "core/workbench/training/TrainingSession.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/document/RecordedView.h"

using namespace headlight;
using namespace headlight::synthetic;

namespace {

/// The names of all signals of a document, as they come.
struct Signals {
  explicit Signals(Document& document) {
    const auto listen = [this](auto& object, auto signal, const char* name) {
      QObject::connect(&object, signal, &object, [this, name] { names << QString(name); });
    };
    listen(document.inputs(), &InferenceInputs::modelChanged, "model");
    listen(document.inputs(), &InferenceInputs::imageChanged, "image");
    listen(document.inputs(), &InferenceInputs::editApplied, "edit");
    listen(document.inputs(), &InferenceInputs::masksChanged, "masks");
    listen(document.recorded(), &RecordedStep::shownImageChanged, "shown image");
    listen(document.recorded(), &RecordedStep::changed, "recorded");
    listen(document.reference(), &ReferenceState::changed, "reference");
    listen(document.view(), &ViewState::changed, "view");
    listen(document, &Document::inferenceChanged, "inference");
    listen(document, &Document::staleChanged, "stale");
    listen(document, &Document::sourceNoteChanged, "source");
    listen(document, &Document::failed, "failed");
  }
  QString taken() { return std::exchange(names, {}).join(QStringLiteral(", ")); }
  QStringList names;
};

std::shared_ptr<const RecordedView> viewOf(const ModelInfo& model, std::vector<int> queries) {
  auto view = std::make_shared<RecordedView>();
  view->inference = makeInference(model);
  view->image = std::make_shared<const Image>(makeImage());
  view->source = QStringLiteral("recorded");
  view->queries = std::move(queries);
  return view;
}

std::shared_ptr<const HeadPoint> pointOf(const ModelInfo& model) {
  auto point = std::make_shared<HeadPoint>();
  for (const int heads : model.heads)
    point->locality.emplace_back(static_cast<std::size_t>(heads), 0.25f);
  return point;
}

MaskEdit hardEdit(const Document& document) {
  return *makeMaskEdit(document.inputs().masks(), {{0, 0}}, HeadMask{MaskKind::Hard, 3}, "hard");
}

}  // namespace

class DocumentTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void anotherModelIsReportedFirst() {
    Document document;
    fill(document);
    document.recorded().setPoint(pointOf(document.inputs().model()));
    document.recorded().setView(viewOf(document.inputs().model(), {0}));
    Signals heard(document);
    document.setModel(makeModel(4, 2));
    QCOMPARE(heard.taken(), QStringLiteral("model, shown image, inference, recorded, view"));
    document.setModel(makeModel(4, 2));
    QCOMPARE(heard.taken(), QStringLiteral("model, inference"));
  }

  void nothingOfTheFormerModelIsLeftWhenItIsReported() {
    Document document;
    fill(document);
    document.inputs().pushEdit(hardEdit(document));
    document.reference().pin();
    document.recorded().setPoint(pointOf(document.inputs().model()));
    document.recorded().setView(viewOf(document.inputs().model(), {0}));
    bool asked = false;
    connect(&document.inputs(), &InferenceInputs::modelChanged, this, [&] {
      asked = true;
      QVERIFY(!document.inference() && !document.recorded().point() && !document.recorded().view());
      QVERIFY(!document.reference().hasPinned() && !document.reference().masks());
      QCOMPARE(document.inputs().undoStack()->count(), 0);
      QCOMPARE(document.view().options().layer, 4);
      QVERIFY(!document.view().isPinned());
    });
    document.setModel(makeModel(5, 2));
    QVERIFY(asked);
  }

  void masksThatDoNotFitAreReportedLast() {
    Document document;
    fill(document);
    ModelInfo model = makeModel(4, 2);
    model.experiment.masks.scheme = "no such preset";
    Signals heard(document);
    document.setModel(model);
    QCOMPARE(heard.taken(), QStringLiteral("model, inference, view, failed"));
  }

  void anImageAndItsResult() {
    Document document;
    fill(document);
    Signals heard(document);
    document.setImage(makeImage(), QStringLiteral("other"), {});
    QCOMPARE(heard.taken(), QStringLiteral("image, shown image, inference"));
    document.setStale(true);
    document.setInference(makeInference(document.inputs().model()), -1);
    QCOMPARE(heard.taken(), QStringLiteral("stale, stale, inference"));
  }

  void anEditKnowsItsReferenceWhenItIsReported() {
    Document document;
    fill(document);
    const MaskScheme before = document.inputs().masks();
    Signals heard(document);
    bool known = false;
    connect(&document.inputs(), &InferenceInputs::editApplied, this,
            [&] { known = document.reference().masks() == before; });
    document.inputs().pushEdit(hardEdit(document));
    QCOMPARE(heard.taken(), QStringLiteral("edit, masks"));
    QVERIFY(known);
    document.inputs().replaceMasks(before);
    QCOMPARE(heard.taken(), QStringLiteral("masks"));
    QVERIFY(!document.reference().masks());
  }

  void aRecordedViewChoosesAKeptTokenAndGivesItBack() {
    Document document;
    fill(document);
    Signals heard(document);
    document.recorded().setView(viewOf(document.inputs().model(), {5}));
    QCOMPARE(heard.taken(), QStringLiteral("shown image, inference, view"));
    QCOMPARE(document.view().options().query, 5);
    document.recorded().setView(nullptr);
    QCOMPARE(heard.taken(), QStringLiteral("shown image, inference, view"));
    QCOMPARE(document.view().options().query, 0);
  }

  void notesAreInCaptions() {
    Document document;
    fill(document);
    Signals heard(document);
    document.setSourceNote(QStringLiteral("training weights"));
    document.setSourceNote(QStringLiteral("training weights"));
    QCOMPARE(heard.taken(), QStringLiteral("view, source"));
    QVERIFY(document.view().describe().endsWith(QStringLiteral("training weights")));
  }

  void whatIsShownNamesItsWeights() {
    Document document;
    QCOMPARE(document.modelTitle(), QString());
    ModelInfo model = makeModel();
    model.weightsName = "mine.safetensors";
    fill(document, model);
    QCOMPARE(document.weightsName(), QStringLiteral("mine.safetensors"));
    QCOMPARE(document.modelTitle(), QStringLiteral("synthetic · mine.safetensors"));
    document.setSourceNote(QStringLiteral("run a · training · step 5"));
    QCOMPARE(document.weightsName(), QStringLiteral("run a · training · step 5"));
    QCOMPARE(document.modelTitle(), QStringLiteral("synthetic · run a · training · step 5"));
    document.setSourceNote({});
    model.weightsName.clear();
    model.randomWeights = true;
    document.setModel(model);
    QCOMPARE(document.weightsName(), QString());
    QCOMPARE(document.modelTitle(), QStringLiteral("synthetic · random weights"));
  }
};

QTEST_GUILESS_MAIN(DocumentTest)
#include "DocumentTest.moc"
