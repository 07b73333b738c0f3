// SPDX-License-Identifier: GPL-3.0-or-later

// Reconstruction in the window: the numbers of core, the chosen ratio and seed, the saved image.

#include <QAction>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QSpinBox>
#include <QTemporaryDir>

#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/evaluation/ReconstructionDialog.h"

using namespace headlight;

namespace {

constexpr int kPatience = 60000;

Experiment autoencoderExperiment() {
  Experiment experiment = smallExperiment();
  ModelConfig& model = experiment.model;
  model.backbone = "mae";
  model.mechanism = "softmax";
  model.attention = Json::object();
  model.layout = {{"decoder_width", 16}, {"decoder_depth", 1}, {"decoder_heads", 2}};
  model.classes = 0;
  model.classToken = true;
  model.positions = "none";
  model = checkedAndCompleted(model);
  experiment.masks = {};
  return experiment;
}

Image stripedImage() {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int i = 0; i < 48 * 48 * 3; ++i)
    pixels->push_back(static_cast<std::uint8_t>(i * 37 % 251));
  return {48, 48, pixels};
}

}  // namespace

class ReconstructionDialogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }

  void showsWhatCoreReconstructs() {
    TestWindow test;
    auto* action = test->actions()->find(QStringLiteral("model.reconstruct"));
    QVERIFY(action && !action->isEnabled());
    test->modelWorker()->createModel(autoencoderExperiment());
    QTRY_VERIFY_WITH_TIMEOUT(action->isEnabled(), kPatience);
    const Image image = stripedImage();
    test.document()->setImage(image, QStringLiteral("stripes"), {});
    action->trigger();
    auto* dialog = test.window.findChild<ReconstructionDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(dialog->reconstruction(), kPatience);
    const auto session = InferenceSession::create(autoencoderExperiment());
    QVERIFY(session);
    const auto direct = reconstruct(**session, image, {0.75, 0, lastLayer()});
    QVERIFY(direct && direct->attention);
    QCOMPARE(dialog->reconstruction()->loss, direct->loss);
    QCOMPARE(dialog->findChild<QLabel*>(QStringLiteral("reconstructionLoss"))->text(),
             QString::fromStdString(reconstructionText(*direct)));
    dialog->findChild<QSpinBox*>(QStringLiteral("reconstructionSeed"))->setValue(3);
    dialog->findChild<QDoubleSpinBox*>(QStringLiteral("reconstructionRatio"))->setValue(0.5);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->reconstruction(), kPatience);
    const auto other = reconstruct(**session, image, {0.5, 3, lastLayer()});
    QVERIFY(other && other->attention);
    QCOMPARE(dialog->reconstruction()->loss, other->loss);
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("out.png"));
    dialog->saveAs(path);
    const auto saved = readImage(path.toStdString());
    QVERIFY(saved);
    const auto drawn = drawKeptMap(*other->attention, {}, other->masked);
    QVERIFY(drawn);
    QCOMPARE(saved->width, 4 * other->original.width + 12);
    QCOMPARE(*saved->pixels, *besideEachOther(*other, drawn->image).pixels);
  }

  /// Four images beside each other fit a screen of 1280, whatever the model's size.
  void largeImagesAreShownSmaller() {
    TestWindow test;
    Experiment experiment = autoencoderExperiment();
    experiment.model.imageSize = 576;
    experiment.model.imageWidth = 0;  // as high
    experiment.model.patchSize = 96;
    test->modelWorker()->createModel(experiment);
    auto* action = test->actions()->find(QStringLiteral("model.reconstruct"));
    QTRY_VERIFY_WITH_TIMEOUT(action->isEnabled(), kPatience);
    test.document()->setImage(stripedImage(), QStringLiteral("stripes"), {});
    action->trigger();
    auto* dialog = test.window.findChild<ReconstructionDialog*>();
    QTRY_VERIFY_WITH_TIMEOUT(dialog->reconstruction(), kPatience);
    QCOMPARE(dialog->reconstruction()->original.width, 576);
    const auto* original = dialog->findChild<QLabel*>(QStringLiteral("reconstructionOriginal"));
    QCOMPARE(original->pixmap().deviceIndependentSize(), QSizeF(280, 280));
    QVERIFY2(dialog->minimumSizeHint().width() <= 1280,
             qPrintable(QString::number(dialog->minimumSizeHint().width())));
    dialog->close();
    dialog->show();
    QTRY_VERIFY_WITH_TIMEOUT(dialog->reconstruction(), kPatience);  // computed again
  }

  void aClickOnAKeptPatchMakesItLook() {
    TestWindow test;
    auto* action = test->actions()->find(QStringLiteral("model.reconstruct"));
    test->modelWorker()->createModel(autoencoderExperiment());
    QTRY_VERIFY_WITH_TIMEOUT(action->isEnabled(), kPatience);
    test.document()->setImage(stripedImage(), QStringLiteral("stripes"), {});
    action->trigger();
    auto* dialog = test.window.findChild<ReconstructionDialog*>();
    QTRY_VERIFY_WITH_TIMEOUT(dialog->attention(), kPatience);
    const QString byClassToken = captionOf(dialog);
    QVERIFY(byClassToken.contains(QStringLiteral("class token")));
    QVERIFY(byClassToken.contains(QStringLiteral("dropped patches are gray")));
    const KeptAttention attention = *dialog->reconstruction()->attention;
    clickPatch(dialog, attention.grid, patchWith(attention, /*dropped=*/true));
    QCOMPARE(captionOf(dialog), byClassToken);
    const int kept = patchWith(attention, /*dropped=*/false);
    clickPatch(dialog, attention.grid, kept);
    QVERIFY(captionOf(dialog).contains(QStringLiteral("patch (")));
    dialog->findChild<QSpinBox*>(QStringLiteral("reconstructionHead"))->setValue(1);
    QVERIFY(captionOf(dialog).contains(QStringLiteral("head 1")));
    const auto direct =
        drawKeptMap(attention, {attention.grid.prefix + kept, 1}, dialog->reconstruction()->masked);
    QVERIFY(direct);
    QCOMPARE(*dialog->attention()->image.pixels, *direct->image.pixels);
  }

 private:
  static int lastLayer() { return autoencoderExperiment().model.depth - 1; }
  static QString captionOf(const ReconstructionDialog* dialog) {
    return dialog->findChild<QLabel*>(QStringLiteral("reconstructionCaption"))->text();
  }
  static int patchWith(const KeptAttention& attention, bool dropped) {
    int patch = 0;
    while ((attention.places[static_cast<std::size_t>(attention.grid.prefix + patch)] < 0) !=
           dropped)
      ++patch;
    return patch;
  }
  static void clickPatch(const ReconstructionDialog* dialog, const Grid& grid, int patch) {
    auto* image = dialog->findChild<QLabel*>(QStringLiteral("reconstructionAttention"));
    const QSizeF shown = image->pixmap().deviceIndependentSize();
    const double x = (patch % grid.cols + 0.5) / grid.cols,
                 y = (patch / grid.cols + 0.5) / grid.rows;
    const QPointF place((image->width() - shown.width()) / 2 + x * shown.width(),
                        (image->height() - shown.height()) / 2 + y * shown.height());
    QTest::mouseClick(image, Qt::LeftButton, {}, place.toPoint());
  }
};

QTEST_MAIN(ReconstructionDialogTest)
#include "ReconstructionDialogTest.moc"
