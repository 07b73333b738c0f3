// SPDX-License-Identifier: GPL-3.0-or-later

// Texts as classes: the dialog says what is wrong, and the model predicts the prompts.

#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "tests/gui/WindowFixture.h"
#include "ui/base/Actions.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/document/Session.h"
#include "ui/opening/PromptsDialog.h"

using namespace headlight;

namespace {

constexpr const char* kGolden = HEADLIGHT_GOLDEN_DIR;

/// golden/transformers/clip_full, with or without its tokenizer.
struct ClipFolder {
  explicit ClipFolder(bool tokenizer = true) {
    const QString golden = QString::fromUtf8(kGolden);
    for (const char* file : {"config.json", "model.safetensors", "preprocessor_config.json"})
      copy(golden + QStringLiteral("/transformers/clip_full/"), file);
    if (tokenizer) copy(golden + QStringLiteral("/text/clip_micro/"), "tokenizer.json");
  }
  void copy(const QString& from, const char* file) {
    QFile::copy(from + QString::fromUtf8(file), folder.filePath(QString::fromUtf8(file)));
  }
  ModelSource source() const {
    ModelSource source;
    source.model = folder.path().toStdString();
    source.device = "cpu";
    return source;
  }
  QTemporaryDir folder;
};

QPushButton* button(QDialog& dialog, const QString& text) {
  for (auto* one : dialog.findChildren<QPushButton*>())
    if (one->text().remove(QLatin1Char('&')) == text) return one;
  return nullptr;
}

void type(QDialog& dialog, const QString& lines, const QString& pattern = {}) {
  dialog.findChild<QLineEdit*>()->setText(pattern);
  dialog.findChild<QPlainTextEdit*>()->setPlainText(lines);
}

}  // namespace

class PromptsDialogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatIsWrongIsSaidBesideTheText() {
    PromptsDialog dialog({});
    QPushButton* apply = button(dialog, QStringLiteral("Apply"));
    QVERIFY(!apply->isEnabled());
    QCOMPARE(dialog.focusWidget(), dialog.findChild<QPlainTextEdit*>());
    QVERIFY(!dialog.findChild<QPlainTextEdit*>()->accessibleName().isEmpty());
    QVERIFY(!dialog.findChild<QLineEdit*>()->accessibleName().isEmpty());
    type(dialog, QStringLiteral("cat\n\ndog\n"));
    QVERIFY(apply->isEnabled());
    QCOMPARE(dialog.message(), QStringLiteral("2 classes; the first is \"cat\""));
    type(dialog, QStringLiteral("cat"), QStringLiteral("a photo"));
    QVERIFY(!apply->isEnabled());
    QVERIFY(dialog.message().contains(QStringLiteral("has no {}")));
    type(dialog, QStringLiteral("cat\ncat"));
    QVERIFY(dialog.message().contains(QStringLiteral("twice")));
  }

  /// As keyboards and other programs write it: e and an accent are one character for tokenizers.
  void textIsComposed() {
    PromptsDialog dialog({});
    type(dialog, QStringLiteral("cafe\u0301"));
    QCOMPARE(QString::fromStdString(dialog.prompts().lines.front()), QStringLiteral("caf\u00e9"));
  }

  void applyAndRemoveAreRequests() {
    PromptsDialog dialog({{"cat"}, "a {}"});
    QSignalSpy spy(&dialog, &PromptsDialog::applyRequested);
    button(dialog, QStringLiteral("Apply"))->click();
    QVERIFY(spy.takeFirst().first().value<Prompts>() == (Prompts{{"cat"}, "a {}"}));
    QVERIFY(!button(dialog, QStringLiteral("Apply"))->isEnabled());  // once at a time
    dialog.finish(QStringLiteral("too long"));
    QCOMPARE(dialog.message(), QStringLiteral("too long"));
    button(dialog, QStringLiteral("Remove prompts"))->click();
    QVERIFY(spy.takeFirst().first().value<Prompts>().empty());
    dialog.finish({});
    QCOMPARE(dialog.result(), int(QDialog::Accepted));
  }

  void commandSaysWhyItIsOff() {
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    QAction* prompts = test->actions()->find(QStringLiteral("model.prompts"));
    QVERIFY(prompts && !prompts->isEnabled());
    QVERIFY(prompts->toolTip().contains(QStringLiteral("no text tower")));
    const ClipFolder bare(/*tokenizer=*/false);
    test->modelWorker()->openModel(bare.source());
    QTRY_VERIFY_WITH_TIMEOUT(prompts->toolTip().contains(QStringLiteral("no tokenizer")), 20000);
    QVERIFY(!prompts->isEnabled());
  }

  void modelPredictsThePrompts() {
    TestWindow test;
    const ClipFolder clip;
    test->modelWorker()->openModel(clip.source());
    QAction* command = test->actions()->find(QStringLiteral("model.prompts"));
    QTRY_VERIFY_WITH_TIMEOUT(command->isEnabled(), 20000);
    OPEN_IMAGE(test, writeImage(clip.folder.filePath(QStringLiteral("image.png"))));

    test.document()->view().change([](ViewOptions& view) { view.layer = 0; });

    ScopedDialogs scoped;
    QPointer<PromptsDialog> dialog;
    dialogs().show = [&](QDialog* shown, const std::function<void(int)>&) {
      dialog = qobject_cast<PromptsDialog*>(shown);
    };
    command->trigger();
    QVERIFY(dialog);
    type(*dialog, QStringLiteral("cat\na b c d e f g h i l m n o"));
    button(*dialog, QStringLiteral("Apply"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(dialog->message().contains(QStringLiteral("tokens")), 20000);
    QVERIFY(test.document()->inputs().model().prompts.empty());  // nothing has changed
    type(*dialog, QStringLiteral("cat nap\ndog run"));
    button(*dialog, QStringLiteral("Apply"))->click();
    QTRY_COMPARE_WITH_TIMEOUT(dialog->result(), int(QDialog::Accepted), 20000);
    delete dialog.data();
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference() && !test.document()->isStale(), 20000);
    QCOMPARE(test.document()->inference()->top.size(), std::size_t{2});
    QCOMPARE(test.document()->view().options().layer, 0);  // the view stays
    const std::string& best = test.document()->inference()->top.front().name;
    QVERIFY(best == "cat nap" || best == "dog run");

    restoreAndCompare(test);
  }

 private:
  /// The session of the window brings the prompts back.
  static void restoreAndCompare(TestWindow& test) {
    const Session recorded = recordSession(*test.document());
    const auto session = sessionFromText(sessionToText(recorded), QStringLiteral("session"));
    QVERIFY(session.ok());
    QVERIFY(session->prompts == (Prompts{{"cat nap", "dog run"}, ""}));
    TestWindow other;
    other->modelWorker()->restoreModel(session->experiment, session->weights, {}, session->partial,
                                       session->prompts);
    QTRY_VERIFY_WITH_TIMEOUT(other.document()->inputs().hasModel(), 20000);
    QVERIFY(other.document()->inputs().model().classNames ==
            (std::vector<std::string>{"cat nap", "dog run"}));
  }
};

QTEST_MAIN(PromptsDialogTest)
#include "PromptsDialogTest.moc"
