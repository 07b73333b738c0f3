// SPDX-License-Identifier: GPL-3.0-or-later

// The offer of a published model: when it comes, what it says, one click to the opened model,
// answers that are kept, and a hub that cannot be reached.

#include "ui/opening/ModelOffer.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include "tests/HubServer.h"
#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/opening/GetModelDialog.h"
#include "ui/opening/ModelOfferBar.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;
using namespace headlight::synthetic;
using headlight::testing::HubServer;
using headlight::testing::ServerReply;
using headlight::testing::ServerRequest;

namespace {

constexpr int kLongWait = 30'000;

/// The golden cache entry under the name of the default suggestion.
headlight::testing::HubContent suggestedContent() {
  const QString folder =
      QStringLiteral(HEADLIGHT_GOLDEN_DIR
                     "/hf_home/hub/models--timm--vit_small_patch14_reg4_dinov2.micro/snapshots/%1/")
          .arg(QString::fromLatin1(headlight::testing::kHubCommit));
  headlight::testing::HubContent content;
  content.repository = "timm/vit_small_patch14_reg4_dinov2.lvd142m";
  for (const char* name : {"config.json", "model.safetensors"}) {
    QFile file(folder + QString::fromLatin1(name));
    if (!file.open(QIODevice::ReadOnly)) qFatal("the golden entry is missing");
    content.files[name] = file.readAll().toStdString();
  }
  return content;
}

HubServer::Meddle slowWeights() {
  return [](const ServerRequest& request, ServerReply reply) {
    if (request.method == "GET" && request.path.ends_with("model.safetensors")) {
      reply.chunk = 10'000;
      reply.pauseMs = 40;
    }
    return std::optional(reply);
  };
}

/// A window with the demo, as at the first start, whose hub is on this machine.
struct FirstStart {
  explicit FirstStart(const QString& folder, bool keepsSession = true) {
    MainWindowOptions options;
    if (keepsSession) options.sessionPath = folder + QStringLiteral("/session.json");
    options.threads = 1;
    window = std::make_unique<MainWindow>(&theme, &log, options);
    window->resize(1280, 800);
    window->show();
    window->start();
  }
  ModelOfferBar* bar() const { return window->findChild<ModelOfferBar*>(); }
  QPushButton* button(const char* name) const {
    return bar()->findChild<QPushButton*>(QLatin1String(name));
  }
  void click(const char* name) const { QTest::mouseClick(button(name), Qt::LeftButton); }
  QString text() const {
    return bar()->findChild<MessageLabel*>(QStringLiteral("offerText"))->text();
  }
  bool hasImage() const { return window->document()->inference() != nullptr; }
  int classes() const { return window->document()->inputs().model().experiment.model.classes; }

  Theme theme;
  MessageLog log{false};
  std::unique_ptr<MainWindow> window;
};

}  // namespace

class ModelOfferTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    initializeHeadlightResources();
    if (!canFetch()) QSKIP("built without libcurl");
    for (const char* proxy : {"http_proxy", "all_proxy", "ALL_PROXY"})
      qunsetenv(proxy);  // this machine is asked, not another
  }
  void init() {
    failOnQtWarnings();
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("HF_HUB_CACHE", m_folder->filePath(QStringLiteral("hub")).toLocal8Bit());
    qputenv("HF_ENDPOINT", "http://127.0.0.1:9");  // nobody answers there
  }
  void cleanup() {
    for (const char* variable : {"HF_ENDPOINT", "HF_HUB_CACHE", "HF_HUB_OFFLINE"})
      qunsetenv(variable);
  }

  void itSaysWhatIsOffered() {
    const FirstStart start(m_folder->path());
    QVERIFY(start.bar()->isVisible());
    QVERIFY(!start.window->findChild<GetModelDialog*>());
    const QString model = start.bar()->findChild<QComboBox*>()->currentText();
    QCOMPARE(model, QStringLiteral("DINOv2-S: 22.1 M parameters, 88 MB, features, license "
                                   "apache-2.0"));
    QTRY_VERIFY_WITH_TIMEOUT(start.hasImage(), kLongWait);
    QVERIFY(start.bar()->isVisible());
    QVERIFY(!start.bar()->isAncestorOf(QApplication::focusWidget()));
    QVERIFY(start.window->minimumSizeHint().width() <= 1024);
    const int height = start.bar()->height();
    QVERIFY(height <= 3 * start.bar()->fontMetrics().lineSpacing() + 8);
    start.bar()->showProblem(QStringLiteral("no connection; ").repeated(40));
    untilIdle();
    QCOMPARE(start.bar()->height(), height);  // no text moves the image
    QVERIFY(start.window->minimumSizeHint().width() <= 1024);
    start.bar()->showOffer(start.text(), false);
    saveGrabs(*start.window, QStringLiteral("model-offer"));
  }

  void oneClickDownloadsAndOpens() {
    const HubServer hub(suggestedContent(), slowWeights());
    qputenv("HF_ENDPOINT", hub.address().c_str());
    const FirstStart start(m_folder->path());
    QTRY_VERIFY_WITH_TIMEOUT(start.hasImage(), kLongWait);
    start.click("offerGet");
    QVERIFY(start.button("offerStop")->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(start.text().contains(QStringLiteral("MB")), kLongWait);
    saveGrabs(*start.window, QStringLiteral("model-offer-download"));
    QTRY_COMPARE_WITH_TIMEOUT(start.classes(), 10, kLongWait);
    QVERIFY(!start.bar()->isVisible());
  }

  /// Work that began meanwhile stays; the model waits for a click.
  void workInProgressIsNotReplaced() {
    const HubServer hub(suggestedContent(), slowWeights());
    qputenv("HF_ENDPOINT", hub.address().c_str());
    const FirstStart start(m_folder->path());
    QTRY_VERIFY_WITH_TIMEOUT(start.hasImage(), kLongWait);
    start.click("offerGet");
    InferenceInputs& inputs = start.window->document()->inputs();
    inputs.pushEdit(*makeMaskEdit(inputs.masks(), {{0, 0}}, {MaskKind::Hard, 5}, "mine"));
    QVERIFY(inputs.undoStack()->canUndo());
    QTRY_COMPARE_WITH_TIMEOUT(start.button("offerGet")->text(), QStringLiteral("Open"), kLongWait);
    QCOMPARE(start.classes(), 9);
    QVERIFY(start.bar()->isVisible());
    start.click("offerGet");
    QTRY_COMPARE_WITH_TIMEOUT(start.classes(), 10, kLongWait);
  }

  void anAnswerIsKept() {
    {
      const FirstStart start(m_folder->path());
      QTRY_VERIFY_WITH_TIMEOUT(start.hasImage(), kLongWait);
      start.click("offerDismiss");
      QVERIFY(!start.bar()->isVisible());
      start.window->showWorkspace(QStringLiteral("mask"));
      QVERIFY(!start.bar()->isVisible());
      start.window->close();
    }
    const FirstStart again(m_folder->path());
    QTRY_VERIFY_WITH_TIMEOUT(again.hasImage(), kLongWait);
    QVERIFY(!again.bar()->isVisible());
    again.window->actions()->find(QStringLiteral("model.suggested"))->trigger();
    QVERIFY(again.bar()->isVisible());
  }

  void withoutAnAnswerItComesAgain() {
    {
      const FirstStart start(m_folder->path());
      QTRY_VERIFY_WITH_TIMEOUT(start.hasImage(), kLongWait);
      start.window->close();
    }
    const FirstStart again(m_folder->path());
    QTRY_VERIFY_WITH_TIMEOUT(again.bar()->isVisible(), kLongWait);
  }

  /// A hub that cannot be reached: said, and offered again at the next start, until it is declined.
  void anUnreachableHubKeepsTheOffer() {
    {
      const FirstStart start(m_folder->path());
      QTRY_VERIFY_WITH_TIMEOUT(start.hasImage(), kLongWait);
      start.click("offerGet");
      QTRY_COMPARE_WITH_TIMEOUT(start.button("offerGet")->text(), QStringLiteral("Try Again"),
                                60'000);
      QVERIFY(start.bar()->isVisible());
      saveGrabs(*start.window, QStringLiteral("model-offer-offline"));
      start.click("offerDismiss");
      QVERIFY(!start.bar()->isVisible());
      start.window->close();
    }
    {
      const FirstStart again(m_folder->path());
      QTRY_VERIFY_WITH_TIMEOUT(again.bar()->isVisible(), kLongWait);
      QVERIFY2(again.text().contains(QStringLiteral("still")), qPrintable(again.text()));
      again.click("offerDismiss");
      again.window->close();
    }
    const FirstStart third(m_folder->path());
    QTRY_VERIFY_WITH_TIMEOUT(third.hasImage(), kLongWait);
    QVERIFY(!third.bar()->isVisible());
  }

  void offlineItWaits() {
    qputenv("HF_HUB_OFFLINE", "1");
    {
      const FirstStart start(m_folder->path());
      QTRY_VERIFY_WITH_TIMEOUT(start.hasImage(), kLongWait);
      QVERIFY(!start.bar()->isVisible());
      start.window->close();
    }
    qunsetenv("HF_HUB_OFFLINE");
    const FirstStart again(m_folder->path());
    QTRY_VERIFY_WITH_TIMEOUT(again.bar()->isVisible(), kLongWait);
  }

  void withoutASessionItDoesNotCome() {
    const FirstStart start(m_folder->path(), false);
    QTRY_VERIFY_WITH_TIMEOUT(start.hasImage(), kLongWait);
    QVERIFY(!start.bar()->isVisible());
  }

  void closingTheWindowStopsTheDownload() {
    const HubServer hub(suggestedContent(), slowWeights());
    qputenv("HF_ENDPOINT", hub.address().c_str());
    {
      const FirstStart start(m_folder->path());
      QTRY_VERIFY_WITH_TIMEOUT(start.hasImage(), kLongWait);
      start.click("offerGet");
      QTRY_VERIFY_WITH_TIMEOUT(start.text().contains(QStringLiteral("MB")), kLongWait);
      start.window->close();
    }
    const FirstStart again(m_folder->path());
    QTRY_VERIFY_WITH_TIMEOUT(again.bar()->isVisible(), kLongWait);
  }

  void anotherModelHidesIt() {
    const FirstStart start(m_folder->path());
    QTRY_VERIFY_WITH_TIMEOUT(start.hasImage(), kLongWait);
    start.window->modelWorker()->createModel(smallExperiment());
    QTRY_COMPARE_WITH_TIMEOUT(start.window->document()->inputs().model().experiment.model.name,
                              std::string("small"), kLongWait);
    QVERIFY(!start.bar()->isVisible());
  }

  void othersShowsTheWholeList() {
    const FirstStart start(m_folder->path());
    start.click("offerOthers");
    auto* dialog = start.window->findChild<GetModelDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY(!start.bar()->isVisible());
    dialog->close();
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(ModelOfferTest)
#include "ModelOfferTest.moc"
