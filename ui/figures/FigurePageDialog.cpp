// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FigurePageDialog.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>

#include "ui/base/Images.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/figures/DocumentPage.h"
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

/// What stands in the list, as it may be typed.
QString columnText(const PageColumn& column) {
  QString text = QString::fromStdString(toText(column));
  if (column.label.empty()) return text;
  const QString label = QStringLiteral("label ") + QString::fromStdString(column.label);
  if (!text.endsWith(QLatin1Char(')'))) return text + QStringLiteral(" (%1)").arg(label);
  text.chop(1);
  return text + QStringLiteral("; ") + label + QLatin1Char(')');
}

/// What it is kept as: a label may be anything.
QVariant columnData(const PageColumn& column) {
  return QStringList{QString::fromStdString(toText(column)), QString::fromStdString(column.label)};
}

PageColumn columnFrom(const QVariant& data) {
  const QStringList kept = data.toStringList();
  auto column = pageColumnFromText(kept.value(0).toStdString());
  if (column) column->label = kept.value(1).toStdString();
  return column ? *column : PageColumn();
}

QString pictureText(const PagePicture& picture) {
  return picture.label.empty()
             ? displayName(ImageBridge::nameOf(QString::fromStdString(picture.path)))
             : displayName(picture.label);
}

}  // namespace

FigurePageDialog::FigurePageDialog(Document* document, ModelWorker* look, QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_look(look),
      m_pictures(new PageEntries(tr("Pictures of the page"), this)),
      m_columns(new PageEntries(tr("What is shown of each picture"), this)),
      m_add(new QComboBox(this)),
      m_form(new ParameterForm(pageParameters(), QStringLiteral("options"), this)),
      m_preview(new PagePreview(this)),
      m_progress(new ProgressLine(tr("Progress of the page"), this)),
      m_task(new ProgressTask(m_progress, this)),
      m_writer(new ProgressTask(m_progress, this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("figurePageDialog"));
  setWindowTitle(tr("Figure page"));
  resize(1180, 720);
  m_settled.setSingleShot(true);
  m_settled.setInterval(kSettledMs);
  layOut();
  connectParts();
  fillSuggestions();
  m_columns->setFocus();
}

FigurePageDialog::~FigurePageDialog() = default;

void FigurePageDialog::connectParts() {
  connect(&m_settled, &QTimer::timeout, this, &FigurePageDialog::refresh);
  for (PageEntries* list : {m_pictures, m_columns})
    connect(list, &PageEntries::changed, this, &FigurePageDialog::touched);
  connect(m_form, &ParameterForm::changed, this, &FigurePageDialog::touched);
  connect(m_columns, &PageEntries::typed, this, &FigurePageDialog::editColumn);
  connect(m_pictures, &PageEntries::typed, this, &FigurePageDialog::editPicture);
  connect(m_add, &QComboBox::activated, this, [this](int index) {
    if (index >= 0) addColumn(m_add->itemText(index));
  });
  connect(m_add->lineEdit(), &QLineEdit::returnPressed, this, [this] {
    const QString text = m_add->currentText();  // one of the list's was added by now
    if (!text.isEmpty() && m_add->findText(text, Qt::MatchFixedString) < 0) addColumn(text);
  });
  connect(m_stop, &QPushButton::clicked, this, &FigurePageDialog::stop);
  for (ProgressTask* task : {m_task, m_writer})
    connect(task, &ProgressTask::busyChanged, this, [this] { m_stop->setEnabled(isBusy()); });
  m_stop->setEnabled(false);
  for (const auto signal : {&Document::modelChanged, &Document::masksChanged})
    connect(m_document, signal, this, &FigurePageDialog::outdated);
  connect(m_document, &Document::modelChanged, this, &FigurePageDialog::fillSuggestions);
  connect(m_document, &Document::lookChanged, this, [this] {
    const auto look = m_document->liveLook();
    if (look && look->weights != std::exchange(m_weights, look->weights)) outdated();
  });
}

bool FigurePageDialog::isBusy() const {
  return m_task->isBusy() || m_writer->isBusy() || m_settled.isActive();
}

// --- The page ----------------------------------------------------------------------------------

void FigurePageDialog::setPage(const FigurePage& page) {
  QStringList texts;
  QVariantList data;
  for (const PagePicture& picture : page.pictures) {
    texts << pictureText(picture);
    data << QVariant(
        QStringList{QString::fromStdString(picture.path), QString::fromStdString(picture.label)});
  }
  m_pictures->setEntries(texts, data);
  texts.clear();
  data.clear();
  for (const PageColumn& column : page.columns) {
    texts << columnText(column);
    data << columnData(column);
  }
  m_columns->setEntries(texts, data);
  m_form->setValues(writeParameters(pageParameters(), &page.options));
  m_settled.start();
}

FigurePage FigurePageDialog::page() const {
  FigurePage page;
  if (m_document->hasModel()) page.model = pageModelOf(*m_document);
  for (const QVariant& entry : m_pictures->entries()) {
    const QStringList picture = entry.toStringList();
    page.pictures.push_back({picture.value(0).toStdString(), picture.value(1).toStdString()});
  }
  for (const QVariant& entry : m_columns->entries())
    page.columns.push_back(columnFrom(entry));
  // What is no value yet keeps its default; the form says so, and nothing is drawn.
  (void)readParameters(pageParameters(), m_form->values(), &page.options, "options");
  return page;
}

void FigurePageDialog::startAnew() {
  if (!m_document->hasModel()) return;
  setPage(usefulPage(*m_document, m_marked ? m_marked() : QStringList()));
  Q_EMIT pageChanged();
}

void FigurePageDialog::addColumn(const QString& text) {
  const auto columns = pageColumnsFromText(text.toStdString());
  if (!columns)
    return m_status->setMessage(QString::fromStdString(columns.error().text()),
                                MessageLabel::Tone::Problem);
  for (const PageColumn& column : *columns)
    m_columns->append(columnText(column), columnData(column));
  m_add->setCurrentIndex(-1);
  m_add->clearEditText();
}

void FigurePageDialog::addChosenHead() {
  if (!m_document->hasModel()) return;
  PageColumn column = chosenColumn(*m_document);
  const std::string query = tokenWords(m_document->steadyView().query, m_document->model().grid);
  if (query != page().options.query) column.query = query.empty() ? "class" : query;
  addColumn(columnText(column));
}

void FigurePageDialog::takePictures() {
  QStringList paths = m_marked ? m_marked() : QStringList();
  if (paths.isEmpty() && m_document->hasImage()) paths << m_document->imagePath();
  QSet<QString> there;
  for (const PagePicture& picture : page().pictures)
    there << QString::fromStdString(picture.path);
  for (const QString& path : paths)
    if (!there.contains(path))
      m_pictures->append(pictureText({path.toStdString(), ""}), QStringList{path, QString()});
}

void FigurePageDialog::editColumn(int row, const QString& text) {
  const PageColumn before = columnFrom(m_columns->entries().value(row));
  const auto column = pageColumnFromText(text.toStdString());
  if (!column) {
    m_columns->setEntry(row, columnText(before), columnData(before));
    return m_status->setMessage(QString::fromStdString(column.error().text()),
                                MessageLabel::Tone::Problem);
  }
  m_columns->setEntry(row, columnText(*column), columnData(*column));
  touched();
}

void FigurePageDialog::editPicture(int row, const QString& text) {
  const QString path = m_pictures->entries().value(row).toStringList().value(0);
  const QString plain = pictureText({path.toStdString(), ""});
  const QString label = text.trimmed() == plain ? QString() : text.trimmed();
  m_pictures->setEntry(row, label.isEmpty() ? plain : label, QStringList{path, label});
  touched();
}

void FigurePageDialog::fillSuggestions() {
  m_add->clear();
  QStringList words{QStringLiteral("picture"), QStringLiteral("rollout")};
  for (const ExplanationInfo& way : waysOfLooking())
    if (way.way != ExplanationMethod::Depth &&
        (!m_document->hasModel() || m_document->canCompute()))
      words << QString::fromStdString(way.name);
  if (m_document->hasModel())
    for (std::size_t l = 0; l < m_document->model().heads.size(); ++l)
      words << QStringLiteral("layer %1").arg(l);
  m_add->addItems(words);
  m_add->setCurrentIndex(-1);
  m_add->clearEditText();
}

// --- What is shown -----------------------------------------------------------------------------

void FigurePageDialog::touched() {
  m_settled.start();
  Q_EMIT pageChanged();
}

/// Weights in training change faster than a page is worked out: what goes on is finished.
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
  job.session = m_look->session();
  job.masks = m_document->masks();
  job.before = m_known;
  job.openPath = m_document->imagePath().toStdString();
  job.openImage = m_document->image();
  return job;
}

void FigurePageDialog::refresh() {
  m_again = false;
  if (!isVisible() || !m_document->hasModel()) return;
  if (!m_form->isValid())
    return m_status->setMessage(m_form->firstError(), MessageLabel::Tone::Problem);
  m_preview->setOutdated(true);
  m_status->setMessage(tr("Looking…"));
  m_task->run<ShownPage>(
      [job = job()](const ProgressCallback& progress, std::stop_token stop) {
        return showPage(job, kPreviewDpi, progress, stop);
      },
      [this](const ShownPage& shown) { take(shown); });
}

void FigurePageDialog::take(const ShownPage& shown) {
  if (shown.look && !m_again) m_known = shown.look;
  m_problem = shown.ok() ? QString() : QString::fromStdString(shown.error.text());
  m_preview->setOutdated(!shown.ok());
  if (shown.ok()) {
    m_preview->setPage(toQImage(shown.image), kPreviewDpi);
    constexpr double kMillimetres = 25.4 / kPreviewDpi;
    m_status->setMessage(tr("%1 × %2 mm on paper")
                             .arg(shown.image.width * kMillimetres, 0, 'f', 0)
                             .arg(shown.image.height * kMillimetres, 0, 'f', 0));
    m_preview->setAccessibleDescription(QString::fromStdString(pageCaption(page(), *shown.look)));
  } else {
    m_status->setMessage(m_problem, MessageLabel::Tone::Problem);
  }
  if (m_again) m_settled.start();
  Q_EMIT this->shown();
}

void FigurePageDialog::stop() {
  m_settled.stop();
  m_again = false;
  m_task->cancel();
  m_writer->cancel();
  m_status->setMessage(tr("Stopped. Any change looks again."));
}

void FigurePageDialog::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  m_settled.start();
}

void FigurePageDialog::hideEvent(QHideEvent* event) {
  m_settled.stop();
  m_task->cancel();
  m_writer->cancel();
  QDialog::hideEvent(event);
}

}  // namespace headlight
