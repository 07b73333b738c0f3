// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/AboutDialogs.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLocale>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "core/config/ModelText.h"
#include "ui/base/Icons.h"
#include "ui/base/MessageLog.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/widgets/Dialogs.h"
#include "ui/window/StatusLine.h"

namespace headlight {
namespace {

QString say(const char* text) {
  return QCoreApplication::translate("AboutDialogs", text);
}

/// A dialog with a text that can be selected and copied.
QTextBrowser* showText(const QString& name, const QString& title, const QSize& size,
                       QWidget* parent) {
  auto* dialog = new QDialog(parent);
  dialog->setObjectName(name);
  dialog->setWindowTitle(title);
  dialog->setAccessibleName(title);
  dialog->resize(size);
  auto* text = new QTextBrowser(dialog);
  text->setObjectName(name + QStringLiteral("Text"));
  text->setAccessibleName(title);
  text->setToolTip(title);
  text->setOpenExternalLinks(true);
  text->document()->setDocumentMargin(12);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  auto* close = buttons->button(QDialogButtonBox::Close);
  close->setAccessibleName(say("Close"));
  close->setToolTip(say("Close"));
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(text, 1);
  layout->addWidget(buttons);
  dialogs().show(dialog, {});
  return text;
}

QString row(const QString& name, const QString& value) {
  return QStringLiteral(
             "<tr><td style='padding:3px 16px 3px 0'><b>%1</b></td>"
             "<td style='padding:3px 0'>%2</td></tr>")
      .arg(name.toHtmlEscaped(), shownText(value).toHtmlEscaped());
}

QString sizeRows(const Document& document) {
  const ModelInfo& info = document.model();
  const ModelConfig& model = info.experiment.model;
  const QLocale locale = QLocale::c();
  const Grid& grid = info.grid;
  return row(say("Name"), QString::fromStdString(model.name)) +
         row(say("Attention"), QString::fromStdString(model.mechanism)) +
         row(say("Maps show"), QString::fromStdString(info.mapMeaning)) +
         row(say("Picture"), QStringLiteral("%1 × %2")
                                 .arg(model.imageWidthPixels())
                                 .arg(model.imageHeightPixels())) +
         row(say("Tokens"), say("%1 × %2 patches of %3 pixels, %4 before them")
                                .arg(grid.rows)
                                .arg(grid.cols)
                                .arg(model.patchSize)
                                .arg(grid.prefix)) +
         row(say("Blocks"), QString::fromStdString(blocksText(model))) +
         row(say("Classes"), locale.toString(model.classes)) +
         row(say("Parameters"), locale.toString(qlonglong(info.parameters))) +
         row(say("Multiply-accumulates"), macsText(document));
}

QString originRows(const ModelInfo& info) {
  const QString weights = info.weights.empty()
                              ? say("random, from seed %1").arg(info.experiment.seed)
                              : QString::fromStdString(info.weights.string());
  QString rows =
      row(say("Weights"), weights) + row(say("Device"), QString::fromStdString(info.device));
  if (!info.weights.empty() && !info.isPrecomputed)
    rows += row(say("What fitted"), QString::fromStdString(info.report.summary()));
  if (const std::string names = classNamesText(info); !names.empty())
    rows += row(say("Class names"), QString::fromStdString(names));
  for (const std::string& note : info.notes)
    rows += row(say("Note"), QString::fromStdString(note));
  return rows;
}

}  // namespace

void showModelInfo(const Document& document, QWidget* parent) {
  if (!document.hasModel()) return;
  const ModelInfo& info = document.model();
  auto* text = showText(QStringLiteral("modelInfo"), say("About this model"), {560, 460}, parent);
  QString html = QStringLiteral("<table>%1%2</table>").arg(sizeRows(document), originRows(info));
  if (!info.classNames.empty()) {
    QStringList names;
    for (const std::string& name : info.classNames)
      names << displayName(name);
    html += QStringLiteral("<p><b>%1</b><br>%2</p>")
                .arg(say("Class names"), names.join(QStringLiteral(", ")).toHtmlEscaped());
  }
  text->setHtml(html);
}

void showMessages(MessageLog* log, QWidget* parent) {
  auto* text = showText(QStringLiteral("messages"), say("Messages"), {760, 420}, parent);
  text->setPlainText(log->lines().isEmpty() ? say("Nothing has been said yet.")
                                            : log->lines().join(QLatin1Char('\n')));
  text->moveCursor(QTextCursor::End);
}

void showAbout(QWidget* parent) {
  auto* text = showText(QStringLiteral("about"), say("About Headlight"), {520, 320}, parent);
  text->setHtml(
      QStringLiteral("<h2>Headlight %1</h2><p>%2</p><p>%3</p><p>%4</p>")
          .arg(QStringLiteral(HEADLIGHT_VERSION),
               say("A workbench for the attention of vision transformers: see where every head "
                   "looks, decide where it may look, retrain, and take the result elsewhere."),
               say("Free software under the GNU General Public License, version 3 or later. It "
                   "comes with no warranty."),
               say("Built on Qt, LibTorch, OpenCV and QCustomPlot. The names of ImageNet-1k's "
                   "classes are of WordNet 3.0, copyright 2006 by Princeton University.")));
}

}  // namespace headlight
