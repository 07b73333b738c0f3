// SPDX-License-Identifier: GPL-3.0-or-later

// Getting a model: the list and its search, a download that is stopped, goes on and is opened.

#include "ui/opening/GetModelDialog.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "tests/HubServer.h"
#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/document/Document.h"
#include "ui/opening/WeightsList.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;
using namespace headlight::synthetic;
using headlight::testing::HubServer;
using headlight::testing::ServerReply;
using headlight::testing::ServerRequest;

namespace {

constexpr const char* kTiny = "vit_tiny_patch16_224.augreg_in21k";
constexpr const char* kFile = "model.safetensors";
constexpr int kLongWait = 30'000;

/// The weights come slowly the first time.
HubServer::Meddle slowAtFirst() {
  auto count = std::make_shared<std::atomic<int>>(0);
  return [count](const ServerRequest& request, ServerReply reply) {
    if (request.method == "GET" && request.path.ends_with(kFile) && (*count)++ == 0) {
      reply.chunk = 50'000;
      reply.pauseMs = 60;
    }
    return std::optional(reply);
  };
}

headlight::testing::HubContent microContent() {
  const QString folder =
      QStringLiteral(HEADLIGHT_GOLDEN_DIR
                     "/hf_home/hub/models--timm--vit_small_patch14_reg4_dinov2.micro/snapshots/%1/")
          .arg(QString::fromLatin1(headlight::testing::kHubCommit));
  headlight::testing::HubContent content;
  content.repository = "timm/vit_small_patch14_reg4_dinov2.micro";
  for (const char* name : {"config.json", kFile}) {
    QFile file(folder + QString::fromLatin1(name));
    if (!file.open(QIODevice::ReadOnly)) qFatal("the golden entry is missing");
    content.files[name] = file.readAll().toStdString();
  }
  return content;
}

struct Getting {
  QTemporaryDir folder;
  HubServer hub;
  FetchOptions options;
  std::unique_ptr<GetModelDialog> dialog;
  ScopedDialogs dialogsAsBefore;

  explicit Getting(const HubServer::Meddle& meddle = {})
      : hub(headlight::testing::tinyVitContent(), meddle) {
    options.endpoint = hub.address();
    options.cache = folder.path().toStdString();
    options.retrySeconds = 0.01;
    dialog = std::make_unique<GetModelDialog>(options);
    dialog->show();
  }
  template <typename W>
  W* find(const char* name) const {
    return dialog->findChild<W*>(QString::fromLatin1(name));
  }
  QPushButton* button(const char* name) const { return find<QPushButton>(name); }
  QString status() const { return find<MessageLabel>("fetchStatus")->text(); }
  QString rate() const { return find<QLabel>("fetchRate")->text(); }
  QTreeWidget* rows() const { return find<QTreeWidget>("weightsList"); }
  void chooseTiny() const { dialog->list()->select(QString::fromLatin1(kTiny)); }
};

}  // namespace

class GetModelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    initializeHeadlightResources();
    if (!canFetch()) QSKIP("built without libcurl");
    for (const char* proxy : {"http_proxy", "all_proxy", "ALL_PROXY"})
      qunsetenv(proxy);  // this machine is asked, not another
  }
  void init() { failOnQtWarnings(); }

  void theListSaysSizeAndLicense() {
    const Getting getting;
    QCOMPARE(getting.rows()->topLevelItemCount(), static_cast<int>(publishedWeights().size()));
    QVERIFY(!getting.button("download")->isEnabled());
    getting.chooseTiny();
    const auto* row = getting.rows()->currentItem();
    QCOMPARE(row->text(0), QStringLiteral("vit_tiny_patch16_224"));
    QCOMPARE(row->text(1), QStringLiteral("augreg_in21k"));
    QCOMPARE(row->text(2), QStringLiteral("9.7 M"));
    QCOMPARE(row->text(3), QStringLiteral("39 MB"));
    QCOMPARE(row->text(4), QStringLiteral("21843 classes"));
    QCOMPARE(row->text(5), QStringLiteral("apache-2.0"));
    QVERIFY(getting.button("download")->isEnabled());
    QVERIFY(!getting.button("openFetched")->isEnabled());
    saveGrabs(*getting.dialog, QStringLiteral("get-model"));
  }

  void itIsSearched() {
    const Getting getting;
    auto* field = getting.find<QLineEdit>("weightsSearch");
    QTest::keyClicks(field, QStringLiteral("tiny augreg 21k 384"));
    int shown = 0;
    for (int i = 0; i < getting.rows()->topLevelItemCount(); ++i)
      shown += getting.rows()->topLevelItem(i)->isHidden() ? 0 : 1;
    QVERIFY2(shown >= 1 && shown <= 3, qPrintable(QString::number(shown)));
    QVERIFY(getting.dialog->list()->current() != nullptr);
    field->setText(QStringLiteral("there is no such model"));
    QVERIFY(getting.find<MessageLabel>("weightsNoMatch")->isVisible());
    QVERIFY(getting.dialog->list()->current() == nullptr);
    QVERIFY(!getting.button("download")->isEnabled());
    field->setText(QStringLiteral("somebody/their-model"));
    QCOMPARE(getting.dialog->list()->current()->repository, std::string("somebody/their-model"));
    field->clear();
    QCOMPARE(getting.rows()->topLevelItemCount(), static_cast<int>(publishedWeights().size()));
  }

  void itIsStoppedGoesOnAndIsOpened() {
    Getting getting(slowAtFirst());
    getting.chooseTiny();
    QSignalSpy ended(getting.dialog.get(), &GetModelDialog::ended);
    QTest::mouseClick(getting.button("download"), Qt::LeftButton);
    QVERIFY(getting.dialog->isDownloading());
    QVERIFY(!getting.button("download")->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(getting.rate().contains(QStringLiteral("MB/s")), kLongWait);
    saveGrabs(*getting.dialog, QStringLiteral("get-model-download"));
    QTest::mouseClick(getting.button("stopDownload"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 2000);
    QVERIFY2(getting.status().startsWith(QStringLiteral("Stopped")), qPrintable(getting.status()));

    QTest::mouseClick(getting.button("download"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 2, kLongWait);
    QVERIFY2(getting.status().contains(QStringLiteral("checked")), qPrintable(getting.status()));
    QVERIFY(getting.hub.reads(kFile).back().header("range").starts_with("bytes="));
    QTRY_VERIFY_WITH_TIMEOUT(getting.button("openFetched")->isEnabled(), kLongWait);
    QVERIFY(!getting.button("download")->isEnabled());
    QCOMPARE(getting.rows()->currentItem()->text(6), QStringLiteral("here"));
    QSignalSpy opened(getting.dialog.get(), &GetModelDialog::openRequested);
    QTest::mouseClick(getting.button("openFetched"), Qt::LeftButton);
    QCOMPARE(opened.size(), 1);
    QVERIFY(opened.front().front().toString().endsWith(
        QString::fromLatin1(headlight::testing::kHubCommit)));
    QVERIFY(!getting.dialog->isVisible());  // the model is what is to be seen
  }

  void problemsAreSaid() {
    Getting getting([](const ServerRequest&, ServerReply reply) {
      reply.status = 403;
      return std::optional(reply);
    });
    getting.chooseTiny();
    QSignalSpy ended(getting.dialog.get(), &GetModelDialog::ended);
    getting.dialog->download();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongWait);
    QVERIFY2(getting.status().contains(QStringLiteral("HF_TOKEN")), qPrintable(getting.status()));
    QCOMPARE(getting.find<MessageLabel>("fetchStatus")->tone(), MessageLabel::Tone::Problem);
    QVERIFY(getting.button("download")->isEnabled());
  }

  void closingAsksFirst() {
    Getting getting(slowAtFirst());
    getting.chooseTiny();
    getting.dialog->download();
    bool answer = false;
    int asked = 0;
    dialogs().confirm = [&](QWidget*, const QString&, const QString&, const QString&,
                            const std::function<void(bool)>& done) {
      ++asked;
      done(answer);
    };
    getting.dialog->close();
    QCOMPARE(asked, 1);
    QVERIFY(getting.dialog->isVisible() && getting.dialog->isDownloading());
    answer = true;
    getting.dialog->close();
    QTRY_VERIFY_WITH_TIMEOUT(!getting.dialog->isVisible(), 2000);
    QVERIFY(!getting.dialog->isDownloading());
  }

  /// As when the window closes: what has arrived is kept, and nothing waits.
  void itMayGoAtAnyTime() {
    Getting getting(slowAtFirst());
    getting.chooseTiny();
    getting.dialog->download();
    QTRY_VERIFY_WITH_TIMEOUT(getting.rate().contains(QStringLiteral("MB")), kLongWait);
    getting.dialog.reset();
    const QString part = QStringLiteral("%1/models--timm--%2/blobs/%3.incomplete")
                             .arg(getting.folder.path(), QString::fromLatin1(kTiny),
                                  QString::fromStdString(getting.hub.etag(kFile)));
    QVERIFY(QFileInfo(part).size() > 0);
  }

  /// From the menu to the image: the golden cache entry, fetched and opened.
  void theWindowOpensWhatItGot() {
    const QString name = QStringLiteral("timm/vit_small_patch14_reg4_dinov2.micro");
    const HubServer hub(microContent());
    QTemporaryDir folder;
    qputenv("HF_ENDPOINT", hub.address().c_str());
    qputenv("HF_HUB_CACHE", folder.path().toLocal8Bit());
    TestWindow test(folder.filePath(QStringLiteral("session.json")));
    test->actions()->find(QStringLiteral("model.get"))->trigger();
    auto* dialog = test->findChild<GetModelDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    dialog->list()->search(name);
    QSignalSpy ended(dialog, &GetModelDialog::ended);
    dialog->download();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongWait);
    auto* open = dialog->findChild<QPushButton*>(QStringLiteral("openFetched"));
    QTRY_VERIFY_WITH_TIMEOUT(open->isEnabled(), kLongWait);
    QTest::mouseClick(open, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(test->document()->inputs().hasModel(), kLongWait);
    QCOMPARE(test->document()->inputs().model().experiment.model.classes, 10);
    dialog->close();
    test->actions()->find(QStringLiteral("model.get"))->trigger();
    QCOMPARE(test->findChildren<GetModelDialog*>().size(), 1);
    dialog->close();
    for (const char* variable : {"HF_ENDPOINT", "HF_HUB_CACHE"})
      qunsetenv(variable);
  }
};

QTEST_MAIN(GetModelTest)
#include "GetModelTest.moc"
