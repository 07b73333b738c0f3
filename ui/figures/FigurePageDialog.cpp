// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FigurePageDialog.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include <utility>

#include "ui/base/Images.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/KnownTruth.h"
#include "ui/figures/DocumentPage.h"
#include "ui/figures/FigurePageFiles.h"
#include "ui/figures/PageEntries.h"
#include "ui/figures/PagePreview.h"
#include "ui/forms/ParameterForm.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/ProgressTask.h"

namespace headlight {
namespace {

constexpr int kSettledMs = 200;
constexpr int kPreviewDpi = 192;

/// The text of a list entry, in the form that can be typed.
QString columnText(const PageColumn& column) {
  QString text = QString::fromStdString(toText(column));
  if (column.label.empty()) return text;
  const QString label = QStringLiteral("label ") + QString::fromStdString(column.label);
  if (!text.endsWith(QLatin1Char(')'))) return text + QStringLiteral(" (%1)").arg(label);
  text.chop(1);
  return text + QStringLiteral("; ") + label + QLatin1Char(')');
}

/// The stored form of a list entry: labels can be any text.
QVariant columnData(const PageColumn& column) {
  return QStringList{QString::fromStdString(toText(column)), QString::fromStdString(column.label)};
}

PageColumn columnFrom(const QVariant& data) {
  const QStringList kept = data.toStringList();
  auto column = pageColumnFromText(kept.value(0).toStdString());
  if (column) column->label = kept.value(1).toStdString();
  return column ? *column : PageColumn();
}

QString imageText(const PageImage& image) {
  return image.label.empty() ? displayName(ImageBridge::nameOf(QString::fromStdString(image.path)))
                             : displayName(image.label);
}

}  // namespace

FigurePageDialog::FigurePageDialog(Document* document, ModelWorker* inference, QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_inference(inference),
      m_parts(makeFigurePageParts(this)),
      m_task(new ProgressTask(m_parts.progress, this)),
      m_files(new FigurePageFiles(m_parts.progress, m_parts.status, this)) {
  setObjectName(QStringLiteral("figurePageDialog"));
  setWindowTitle(tr("Figure page"));
  resize(1180, 720);
  m_settled.setSingleShot(true);
  m_settled.setInterval(kSettledMs);
  connectParts();
  connectButtons();
  connectDocument();
  fillSuggestions();
  m_parts.columns->setFocus();
}

FigurePageDialog::~FigurePageDialog() = default;

void FigurePageDialog::connectParts() {
  connect(&m_settled, &QTimer::timeout, this, &FigurePageDialog::refresh);
  for (PageEntries* list : {m_parts.images, m_parts.columns})
    connect(list, &PageEntries::changed, this, &FigurePageDialog::touched);
  connect(m_parts.form, &ParameterForm::changed, this, &FigurePageDialog::touched);
  connect(m_parts.columns, &PageEntries::typed, this, &FigurePageDialog::editColumn);
  connect(m_parts.images, &PageEntries::typed, this, &FigurePageDialog::editImage);
  connect(m_parts.add, &QComboBox::activated, this, [this](int index) {
    if (index >= 0) addColumn(m_parts.add->itemText(index));
  });
  connect(m_parts.add->lineEdit(), &QLineEdit::returnPressed, this, [this] {
    const QString text = m_parts.add->currentText();  // an entry of the list was already added
    if (!text.isEmpty() && m_parts.add->findText(text, Qt::MatchFixedString) < 0) addColumn(text);
  });
}

void FigurePageDialog::connectButtons() {
  connect(m_parts.takeImages, &QToolButton::clicked, this, &FigurePageDialog::takeImages);
  connect(m_parts.addChosenHead, &QToolButton::clicked, this, &FigurePageDialog::addChosenHead);
  connect(m_parts.stop, &QPushButton::clicked, this, &FigurePageDialog::stop);
  const auto refreshStop = [this] { m_parts.stop->setEnabled(isBusy()); };
  connect(m_task, &ProgressTask::busyChanged, this, refreshStop);
  connect(m_files, &FigurePageFiles::busyChanged, this, refreshStop);
  m_parts.stop->setEnabled(false);
  connect(m_parts.startAnew, &QPushButton::clicked, this, &FigurePageDialog::startAnew);
  connect(m_parts.open, &QPushButton::clicked, this, [this] {
    m_files->askWhatToOpen([this](const QString& path) { openDescription(path); });
  });
  connect(m_parts.save, &QPushButton::clicked, this, [this] {
    m_files->askWhereToSave([this](const QString& path) { saveDescription(path); });
  });
  connect(m_parts.exportPage, &QPushButton::clicked, this,
          [this] { m_files->askWhereToExport([this](const QString& path) { save(path); }); });
  connect(m_parts.close, &QPushButton::clicked, this, &QDialog::close);
}

void FigurePageDialog::connectDocument() {
  for (const auto signal : {&InferenceInputs::modelChanged, &InferenceInputs::masksChanged})
    connect(&m_document->inputs(), signal, this, &FigurePageDialog::outdated);
  connect(&m_document->inputs(), &InferenceInputs::modelChanged, this,
          &FigurePageDialog::fillSuggestions);
  connect(m_document, &Document::inferenceChanged, this, [this] {
    const auto inference = m_document->liveInference();
    if (inference && inference->weights != std::exchange(m_weights, inference->weights)) outdated();
  });
}

bool FigurePageDialog::isBusy() const {
  return m_task->isBusy() || m_files->isBusy() || m_settled.isActive();
}

// --- Files -------------------------------------------------------------------------------------

void FigurePageDialog::setSession(std::function<QByteArray()> session) {
  m_files->setSession(std::move(session));
}

void FigurePageDialog::save(const QString& path) {
  if (!m_parts.form->isValid())
    return m_parts.status->setMessage(m_parts.form->firstError(), MessageLabel::Tone::Problem);
  m_files->exportPage(job(), path);
}

void FigurePageDialog::saveDescription(const QString& path) {
  m_files->save(page(), path);
}

void FigurePageDialog::openDescription(const QString& path) {
  const auto opened = m_files->open(path);
  if (!opened) return;
  setPage(*opened);
  Q_EMIT pageChanged();
}

// --- The page ----------------------------------------------------------------------------------

void FigurePageDialog::setPage(const FigurePage& page) {
  QStringList texts;
  QVariantList data;
  for (const PageImage& image : page.images) {
    texts << imageText(image);
    data << QVariant(
        QStringList{QString::fromStdString(image.path), QString::fromStdString(image.label)});
  }
  m_parts.images->setEntries(texts, data);
  texts.clear();
  data.clear();
  for (const PageColumn& column : page.columns) {
    texts << columnText(column);
    data << columnData(column);
  }
  m_parts.columns->setEntries(texts, data);
  m_parts.form->setValues(writeParameters(pageParameters(), &page.options));
  m_settled.start();
}

FigurePage FigurePageDialog::page() const {
  FigurePage page;
  if (m_document->inputs().hasModel()) page.model = makePageModel(*m_document);
  for (const QVariant& entry : m_parts.images->entries()) {
    const QStringList image = entry.toStringList();
    page.images.push_back({image.value(0).toStdString(), image.value(1).toStdString()});
  }
  for (const QVariant& entry : m_parts.columns->entries())
    page.columns.push_back(columnFrom(entry));
  // Invalid values keep their default; the form shows the error, and nothing is drawn.
  (void)readParameters(pageParameters(), m_parts.form->values(), &page.options, "options");
  return page;
}

void FigurePageDialog::startAnew() {
  if (!m_document->inputs().hasModel()) return;
  setPage(usefulPage(*m_document, m_marked ? m_marked() : QStringList()));
  Q_EMIT pageChanged();
}

void FigurePageDialog::addColumn(const QString& text) {
  const auto columns = pageColumnsFromText(text.toStdString());
  if (!columns)
    return m_parts.status->setMessage(QString::fromStdString(columns.error().text()),
                                      MessageLabel::Tone::Problem);
  for (const PageColumn& column : *columns)
    m_parts.columns->append(columnText(column), columnData(column));
  m_parts.add->setCurrentIndex(-1);
  m_parts.add->clearEditText();
}

void FigurePageDialog::addChosenHead() {
  if (!m_document->inputs().hasModel()) return;
  PageColumn column = chosenColumn(*m_document);
  const std::string query =
      tokenWords(m_document->view().steady().query, m_document->inputs().model().grid);
  if (query != page().options.query) column.query = query.empty() ? "class" : query;
  addColumn(columnText(column));
}

void FigurePageDialog::takeImages() {
  QStringList paths = m_marked ? m_marked() : QStringList();
  if (paths.isEmpty() && m_document->inputs().hasImage()) paths << m_document->inputs().imagePath();
  QSet<QString> there;
  for (const PageImage& image : page().images)
    there << QString::fromStdString(image.path);
  for (const QString& path : paths)
    if (!there.contains(path))
      m_parts.images->append(imageText({path.toStdString(), ""}), QStringList{path, QString()});
}

void FigurePageDialog::editColumn(int row, const QString& text) {
  const PageColumn before = columnFrom(m_parts.columns->entries().value(row));
  const auto column = pageColumnFromText(text.toStdString());
  if (!column) {
    m_parts.columns->setEntry(row, columnText(before), columnData(before));
    return m_parts.status->setMessage(QString::fromStdString(column.error().text()),
                                      MessageLabel::Tone::Problem);
  }
  m_parts.columns->setEntry(row, columnText(*column), columnData(*column));
  touched();
}

void FigurePageDialog::editImage(int row, const QString& text) {
  const QString path = m_parts.images->entries().value(row).toStringList().value(0);
  const QString plain = imageText({path.toStdString(), ""});
  const QString label = text.trimmed() == plain ? QString() : text.trimmed();
  m_parts.images->setEntry(row, label.isEmpty() ? plain : label, QStringList{path, label});
  touched();
}

void FigurePageDialog::fillSuggestions() {
  m_parts.add->clear();
  QStringList words{QStringLiteral("image"), QStringLiteral("rollout")};
  if (m_document->inputs().canCompute()) {
    const ModelConfig& model = m_document->inputs().model().experiment.model;
    if (detectsObjects(model)) words << QStringLiteral("boxes");
    if (segmentsImages(model)) words << QStringLiteral("segments");
  }
  for (const ExplanationInfo& method : explanationMethods())
    if (method.kind != ExplanationKind::Curve &&
        (!m_document->inputs().hasModel() || m_document->inputs().canCompute()))
      words << QString::fromStdString(method.name);
  if (m_document->inputs().hasModel())
    for (std::size_t l = 0; l < m_document->inputs().model().heads.size(); ++l)
      words << QStringLiteral("layer %1").arg(l);
  m_parts.add->addItems(words);
  m_parts.add->setCurrentIndex(-1);
  m_parts.add->clearEditText();
}

// --- What is shown -----------------------------------------------------------------------------

void FigurePageDialog::touched() {
  m_settled.start();
  Q_EMIT pageChanged();
}

/// Weights in training change faster than a page is computed, so the current run is finished.
void FigurePageDialog::outdated() {
  m_known.reset();
  if (!isVisible()) return;
  if (m_task->isBusy())
    m_again = true;
  else
    m_settled.start();
}

PageJob FigurePageDialog::job() const {
  PageJob job;
  job.page = page();
  job.session = m_inference->session();
  job.masks = m_document->inputs().masks();
  job.before = m_known;
  job.openPath = m_document->inputs().imagePath().toStdString();
  job.openImage = m_document->inputs().image();
  if (const auto& truth = m_document->inputs().imageTruth(); truth && !truth->boxes.empty())
    job.openTruth = std::make_shared<const TrueBoxes>(TrueBoxes{truth->boxes, truth->classNames});
  return job;
}

void FigurePageDialog::refresh() {
  m_again = false;
  if (!isVisible() || !m_document->inputs().hasModel()) return;
  if (!m_parts.form->isValid())
    return m_parts.status->setMessage(m_parts.form->firstError(), MessageLabel::Tone::Problem);
  m_parts.preview->setOutdated(true);
  m_parts.status->setMessage(tr("Computing…"));
  m_task->run<ShownPage>(
      [job = job()](const ProgressCallback& progress, std::stop_token stop) {
        return showPage(job, kPreviewDpi, progress, stop);
      },
      [this](const ShownPage& shown) { take(shown); });
}

void FigurePageDialog::take(const ShownPage& shown) {
  if (shown.inference && !m_again) m_known = shown.inference;
  m_problem = shown.ok() ? QString() : QString::fromStdString(shown.error.text());
  m_parts.preview->setOutdated(!shown.ok());
  if (shown.ok()) {
    m_parts.preview->setPage(toQImage(shown.image), kPreviewDpi);
    constexpr double kMillimetres = 25.4 / kPreviewDpi;
    m_parts.status->setMessage(tr("%1 × %2 mm on paper")
                                   .arg(shown.image.width * kMillimetres, 0, 'f', 0)
                                   .arg(shown.image.height * kMillimetres, 0, 'f', 0));
    m_parts.preview->setAccessibleDescription(QString::fromStdString(shown.caption));
  } else {
    m_parts.status->setMessage(m_problem, MessageLabel::Tone::Problem);
  }
  if (m_again) m_settled.start();
  Q_EMIT this->shown();
}

void FigurePageDialog::stop() {
  m_settled.stop();
  m_again = false;
  m_task->cancel();
  m_files->cancel();
  m_parts.status->setMessage(tr("Stopped. Any change starts again."));
}

void FigurePageDialog::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  m_settled.start();
}

void FigurePageDialog::hideEvent(QHideEvent* event) {
  m_settled.stop();
  m_task->cancel();
  m_files->cancel();
  QDialog::hideEvent(event);
}

}  // namespace headlight
