// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/ClassReportDialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include "core/base/files/Files.h"
#include "core/workbench/evaluation/SampleImages.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/document/ModelText.h"
#include "ui/evaluation/ConfusionView.h"
#include "ui/evaluation/ShareCells.h"
#include "ui/evaluation/ThumbnailList.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

enum Column { kClass, kImages, kTop1, kTop5, kLoss, kColumns };

QString percent(double share) {
  return QStringLiteral("%1 %").arg(100 * share, 0, 'f', 1);
}

}  // namespace

ClassReportDialog::ClassReportDialog(const Document* document, const MaskEffectBridge* bridge,
                                     QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_bridge(bridge),
      m_headline(new QLabel(this)),
      m_pages(new QTabWidget(this)),
      m_classes(new QTableWidget(0, kColumns, this)),
      m_confusion(new ConfusionView(this)),
      m_worst(new ThumbnailList(QStringLiteral("worstOfAll"), tr("Images with the largest loss"),
                                this)),
      m_progress(new ProgressLine(tr("Progress of the measurement"), this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("datasetDialog"));
  setWindowTitle(tr("Class report"));
  resize(820, 620);
  m_headline->setTextFormat(Qt::PlainText);
  m_headline->setWordWrap(true);
  m_classes->setObjectName(QStringLiteral("classTable"));
  m_classes->setAccessibleName(tr("Classes"));
  m_classes->setHorizontalHeaderLabels(
      {tr("Class"), tr("Images"), tr("Top-1"), tr("Top-5"), tr("Loss")});
  m_classes->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_classes->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_classes->verticalHeader()->hide();
  m_classes->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);  // the model's order
  m_classes->horizontalHeader()->setSectionResizeMode(kClass, QHeaderView::Stretch);
  for (const int column : {kTop1, kTop5})
    m_classes->setItemDelegateForColumn(column, new BarDelegate(this));
  m_pages->addTab(m_classes, tr("Cl&asses"));
  m_pages->addTab(m_confusion, tr("Co&nfusion matrix"));
  m_pages->addTab(m_worst, tr("&Worst images"));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(m_headline);
  layout->addWidget(m_pages, 1);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  makeButtons();
  connect(m_worst, &ThumbnailList::opened, this, &ClassReportDialog::opened);
  connect(bridge, &MaskEffectBridge::changed, this, &ClassReportDialog::refresh);
  refresh();
}

void ClassReportDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(addDialogButton(buttons, tr("Data…"), "datasetData"), &QPushButton::clicked, this,
          &ClassReportDialog::dataRequested);
  m_anew = addDialogButton(buttons, tr("Measure Again"), "datasetAnew");
  connect(m_anew, &QPushButton::clicked, this, &ClassReportDialog::anewRequested);
  m_exportClasses = addDialogButton(buttons, tr("Export Classes…"), "exportClasses");
  m_exportConfusion = addDialogButton(buttons, tr("Export Confusion…"), "exportConfusion");
  connect(m_exportClasses, &QPushButton::clicked, this, [this] {
    ask(tr("Export the classes"), QStringLiteral("classes.csv"), &ClassReportDialog::exportClasses);
  });
  connect(m_exportConfusion, &QPushButton::clicked, this, [this] {
    ask(tr("Export the confusion matrix"), QStringLiteral("confusion.csv"),
        &ClassReportDialog::exportConfusion);
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout()->addWidget(buttons);
}

void ClassReportDialog::ask(const QString& title, const QString& name,
                            void (ClassReportDialog::*write)(const QString&)) {
  askWhereToSave(this, title, name, tr("Tables (*.csv)"),
                 [this, write](const QString& path) { (this->*write)(path); });
}

/// The result shown stays until the next one arrives; its headline names its masks.
void ClassReportDialog::refresh() {
  const auto present = m_bridge->present();
  const bool scored = present && present->scores;
  if (present && !scored && present != m_shown) showResult(present);
  if (m_bridge->isBusy())
    m_progress->setProgress(m_bridge->progress());
  else
    m_progress->clear();
  m_anew->setEnabled(present && !m_bridge->isBusy());
  m_exportClasses->setEnabled(m_shown != nullptr);
  m_exportConfusion->setEnabled(m_shown != nullptr);
  if (!m_bridge->sample())
    m_headline->setText(tr("Choose a dataset with Data…"));
  else if (!m_bridge->problem().isEmpty())
    m_headline->setText(m_bridge->problem());
  else if (scored)
    m_headline->setText(
        tr("This model has no class for each image. headlight-cli evaluate measures its "
           "boxes or segments class by class."));
  else if (present)
    m_headline->setText(headline());
  else
    m_headline->setText(tr("Measuring…"));
}

QString ClassReportDialog::headline() const {
  return tr("%1, %2 images, %3, masks “%4”: top-1 %5, top-5 %6, loss %7")
             .arg(displayName(m_bridge->sample()->data.dataset))
             .arg(m_shown->images.size())
             .arg(modelTitle(m_document->inputs().model()),
                  displayName(schemeTitle(m_document->inputs().masks())), percent(m_shown->top1),
                  percent(m_shown->top5))
             .arg(m_shown->loss, 0, 'f', 3) +
         (m_shown->measured.empty()
              ? QString()
              : QStringLiteral("; ") + coreText(measuredText(m_shown->measured)));
}

void ClassReportDialog::showResult(const MaskEffectBridge::Known& result) {
  m_shown = result;
  const ClassReport report = classReport(*result);
  fillClasses(report);
  m_confusion->setReport(report, *result);
  fillWorst(report);
}

void ClassReportDialog::fillClasses(const ClassReport& report) {
  m_classes->setSortingEnabled(false);
  m_classes->setRowCount(static_cast<int>(report.classes.size()));
  for (int row = 0; row < m_classes->rowCount(); ++row) {
    const ClassResult& one = report.classes[static_cast<std::size_t>(row)];
    m_classes->setItem(row, kClass,
                       new QTableWidgetItem(displayName(QString::fromStdString(one.name))));
    const auto images = static_cast<double>(one.images);
    m_classes->setItem(row, kImages, numberCell(images, QString::number(one.images)));
    m_classes->setItem(row, kTop1, numberCell(one.top1(), percent(one.top1())));
    m_classes->setItem(row, kTop5, numberCell(one.top5(), percent(one.top5())));
    m_classes->setItem(row, kLoss, numberCell(one.loss, QString::number(one.loss, 'f', 3)));
  }
  m_classes->setSortingEnabled(true);
}

void ClassReportDialog::fillWorst(const ClassReport& report) {
  m_worst->clear();
  std::vector<std::int64_t> indices;
  for (const ImageVerdict& image : report.worst) {
    const auto name = [&](int index) {
      return displayName(QString::fromStdString(findClassName(*m_shown, index)));
    };
    const QString file = displayName(image.name);
    m_worst->addImage(
        tr("%1 → %2 %3").arg(name(image.label), name(image.predicted), percent(image.probability)),
        tr("%1\nloss %2\nDouble-click to open it").arg(file).arg(image.loss, 0, 'f', 3), file);
    indices.push_back(image.index);
  }
  m_reading.run<Result<std::vector<Image>>>(
      [info = m_document->inputs().model(), sample = *m_bridge->sample(),
       indices](std::stop_token stop) { return sampleImages(info, sample, indices, stop); },
      [this](const Result<std::vector<Image>>& images) {
        if (images)
          m_worst->setImages(*images);
        else
          m_status->setMessage(QString::fromStdString(images.error().text()),
                               MessageLabel::Tone::Problem);
      });
}

void ClassReportDialog::exportClasses(const QString& path) {
  if (!m_shown) return;
  m_status->reportSaved(
      path, writeFileAtomically(path.toStdString(), classesCsv(classReport(*m_shown, 0))));
}

void ClassReportDialog::exportConfusion(const QString& path) {
  if (!m_shown) return;
  m_status->reportSaved(
      path,
      writeFileAtomically(path.toStdString(), confusionCsv(classReport(*m_shown, 0), *m_shown)));
}

}  // namespace headlight
