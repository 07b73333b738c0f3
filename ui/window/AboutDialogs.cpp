// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/AboutDialogs.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLocale>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "core/base/Version.h"
#include "core/config/ModelText.h"
#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/base/MessageLog.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/document/ModelText.h"
#include "ui/widgets/Dialogs.h"
#include "ui/window/StatusLine.h"

namespace headlight {
namespace {

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
  close->setAccessibleName(QObject::tr("Close"));
  close->setToolTip(QObject::tr("Close"));
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
  const ModelInfo& info = document.inputs().model();
  const ModelConfig& model = info.experiment.model;
  const QLocale locale = QLocale::c();
  const Grid& grid = info.grid;
  return row(QObject::tr("Name"), QString::fromStdString(model.name)) +
         row(QObject::tr("Attention"), QString::fromStdString(model.mechanism)) +
         row(QObject::tr("Maps show"), coreText(info.mapMeaning)) +
         row(QObject::tr("Image"), QStringLiteral("%1 × %2")
                                       .arg(model.imageWidthPixels())
                                       .arg(model.imageHeightPixels())) +
         row(QObject::tr("Tokens"), QObject::tr("%1 × %2 patches of %3 pixels, %4 before them")
                                        .arg(grid.rows)
                                        .arg(grid.cols)
                                        .arg(model.patchSize)
                                        .arg(grid.prefix)) +
         row(QObject::tr("Blocks"), coreText(blocksText(model))) +
         row(QObject::tr("Classes"), locale.toString(model.classes)) +
         row(QObject::tr("Parameters"), locale.toString(qlonglong(info.parameters))) +
         row(QObject::tr("Multiply-accumulates"), macsText(document));
}

QString originRows(const ModelInfo& info) {
  const QString weights =
      info.weights.empty() ? QObject::tr("random, from seed %1").arg(info.experiment.seed)
                           : QObject::tr("%1 (%2)").arg(
                                 weightsName(info), QString::fromStdString(info.weights.string()));
  QString rows = row(QObject::tr("Weights"), weights) +
                 row(QObject::tr("Device"), QString::fromStdString(info.device));
  if (!info.weights.empty() && !info.isPrecomputed)
    rows += row(QObject::tr("Fit of the weights"), coreText(info.report.summary()));
  if (const std::string names = classNamesText(info); !names.empty())
    rows += row(QObject::tr("Class names"), coreText(names));
  if (info.textSide.hasTower())
    rows += row(QObject::tr("Text"), coreText(textSideText(info.textSide)));
  for (const std::string& note : info.notes)
    rows += row(QObject::tr("Note"), coreText(note));
  return rows;
}

}  // namespace

void showModelInfo(const Document& document, QWidget* parent) {
  if (!document.inputs().hasModel()) return;
  const ModelInfo& info = document.inputs().model();
  auto* text =
      showText(QStringLiteral("modelInfo"), QObject::tr("About this model"), {560, 460}, parent);
  QString html = QStringLiteral("<table>%1%2</table>").arg(sizeRows(document), originRows(info));
  if (!info.classNames.empty()) {
    QStringList names;
    for (const std::string& name : info.classNames)
      names << displayName(name);
    html += QStringLiteral("<p><b>%1</b><br>%2</p>")
                .arg(QObject::tr("Class names"), names.join(QStringLiteral(", ")).toHtmlEscaped());
  }
  text->setHtml(html);
}

void showMessages(MessageLog* log, QWidget* parent) {
  auto* text = showText(QStringLiteral("messages"), QObject::tr("Messages"), {760, 420}, parent);
  text->setPlainText(log->lines().isEmpty() ? QObject::tr("There are no messages yet.")
                                            : log->lines().join(QLatin1Char('\n')));
  text->moveCursor(QTextCursor::End);
}

void showAbout(QWidget* parent) {
  auto* text =
      showText(QStringLiteral("about"), QObject::tr("About Headlight"), {520, 320}, parent);
  text->setHtml(
      QStringLiteral("<h2>Headlight %1</h2><p>%2</p><p>%3</p><p>%4</p>")
          .arg(QString::fromLatin1(kVersion),
               QObject::tr(
                   "A workbench for the attention of vision transformers: see what every head "
                   "attends to, restrict it with masks, retrain, and export the result."),
               QObject::tr(
                   "Free software under the GNU General Public License, version 3 or later. It "
                   "comes with no warranty."),
               QObject::tr(
                   "Built on Qt, LibTorch, OpenCV and QCustomPlot. The class names of ImageNet-1k "
                   "come from WordNet 3.0, copyright 2006 by Princeton University.")));
}

}  // namespace headlight
