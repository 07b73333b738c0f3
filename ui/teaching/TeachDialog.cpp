// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/teaching/TeachDialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDropEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QUrl>
#include <QVBoxLayout>

#include "core/config/DatasetKinds.h"
#include "core/workbench/session/Datasets.h"
#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/document/ModelText.h"
#include "ui/evaluation/ConfusionView.h"
#include "ui/evaluation/ShareCells.h"
#include "ui/evaluation/ThumbnailList.h"
#include "ui/forms/ParameterForm.h"
#include "ui/forms/PathRow.h"
#include "ui/teaching/ClassShelf.h"
#include "ui/teaching/TeachText.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

enum TaughtColumn { kTaughtName, kTraining, kHeldOut, kTaughtTop1, kTaughtColumns };
enum SourcePage { kFolderPage, kShelfPage, kSettingsPage };
constexpr std::size_t kMostWorst = 24;

/// Also says what is taught where nothing is chosen.
QLabel* makeFolderHint(const std::string& dataset, QWidget* parent) {
  QString text = TeachDialog::tr("Drop a folder here, or choose it. Each folder in it is a class.");
  if (isDrawnData(dataset))
    text += QLatin1Char(' ') + TeachDialog::tr("Without one, the model's data are taught: %1.")
                                   .arg(QString::fromStdString(dataset));
  auto* hint = new QLabel(text, parent);
  hint->setObjectName(QStringLiteral("teachFolderHint"));
  hint->setWordWrap(true);
  return hint;
}

PathRow* makeFolderRow(const DataConfig& data, QWidget* parent) {
  auto* row = new PathRow({"teachFolder",
                           TeachDialog::tr("&Folder"),
                           TeachDialog::tr("Folder of class folders"),
                           TeachDialog::tr("A dataset: a folder with a folder of images for each "
                                           "class, with or without train and val"),
                           {},
                           "teachBrowse",
                           TeachDialog::tr("Browse…"),
                           TeachDialog::tr("Choose the folder")},
                          parent);
  if (!isDrawnData(data.dataset)) row->setPath(QString::fromStdString(data.path));
  return row;
}

QLabel* makeWords(const char* name, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setObjectName(QString::fromLatin1(name));
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

QString shareText(double share) {
  return QStringLiteral("%1 %").arg(100 * share, 0, 'f', 1);
}

}  // namespace

TeachDialog::TeachDialog(const Document* document, TeachBridge* bridge, const DataConfig& data,
                         QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_bridge(bridge),
      m_data(data),
      m_sources(new QTabWidget(this)),
      m_folder(makeFolderRow(data, this)),
      m_shelf(new ClassShelf(this)),
      m_form(new ParameterForm(adaptParameters(), {}, this)),
      m_useAtOnce(new QCheckBox(tr("&Use the new classes in the window at once"), this)),
      m_headline(makeWords("teachHeadline", this)),
      m_effect(makeWords("teachEffect", this)),
      m_notes(makeWords("teachNotes", this)),
      m_pages(new QTabWidget(this)),
      m_classes(new QTableWidget(0, kTaughtColumns, this)),
      m_confusion(new ConfusionView(this)),
      m_worst(new ThumbnailList(QStringLiteral("teachWorst"),
                                tr("Held-out images with the largest loss"), this)),
      m_progress(new ProgressLine(tr("Progress of teaching"), this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("teachDialog"));
  setWindowTitle(tr("Teach classes"));
  setAcceptDrops(true);
  resize(760, 680);
  m_useAtOnce->setObjectName(QStringLiteral("teachUseAtOnce"));
  m_useAtOnce->setChecked(true);
  m_useAtOnce->setToolTip(
      tr("Predictions, relevance, Grad-CAM and faithfulness are then of the new classes"));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(makeSources());
  layout->addWidget(m_useAtOnce);
  for (QLabel* words : {m_headline, m_effect, m_notes})
    layout->addWidget(words);
  layout->addWidget(makeResults(), 1);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  connect(m_folder, &PathRow::edited, this, &TeachDialog::refresh);
  connect(m_folder, &PathRow::browseRequested, this, &TeachDialog::browse);
  connect(m_shelf, &ClassShelf::changed, this, &TeachDialog::refresh);
  connect(m_form, &ParameterForm::changed, this, &TeachDialog::refresh);
  connect(m_sources, &QTabWidget::currentChanged, this, &TeachDialog::refresh);
  connect(m_worst, &ThumbnailList::opened, this, &TeachDialog::opened);
  connect(bridge, &TeachBridge::changed, this, &TeachDialog::refresh);
  connect(bridge, &TeachBridge::finished, this, &TeachDialog::onFinished);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &TeachDialog::refresh);
  refresh();
}

QWidget* TeachDialog::makeSources() {
  m_sources->setObjectName(QStringLiteral("teachSources"));
  m_form->setFilterVisible(false);
  m_form->setValues(Json::object());
  auto* folder = new QWidget(this);
  auto* layout = new QVBoxLayout(folder);
  layout->addWidget(m_folder);
  layout->addWidget(makeFolderHint(m_data.dataset, folder));
  layout->addStretch(1);
  m_sources->addTab(folder, tr("Class f&olders"));
  m_sources->addTab(makeShelfPage(), tr("Classes by &hand"));
  m_sources->addTab(m_form, tr("Se&ttings"));
  m_sources->setMaximumHeight(230);
  return m_sources;
}

QWidget* TeachDialog::makeShelfPage() {
  auto* page = new QWidget(this);
  auto* add = new QPushButton(tr("&Add class"), page);
  add->setObjectName(QStringLiteral("teachAddClass"));
  connect(add, &QPushButton::clicked, this, [this] { m_shelf->addClass({}); });
  auto* remove = new QPushButton(tr("&Remove"), page);
  remove->setObjectName(QStringLiteral("teachRemoveClass"));
  remove->setToolTip(tr("Remove the selected classes"));
  connect(remove, &QPushButton::clicked, m_shelf, &ClassShelf::removeSelected);
  auto* images = new QPushButton(tr("Add &images…"), page);
  images->setObjectName(QStringLiteral("teachAddImages"));
  images->setToolTip(tr("Add image files to the current class, or to a new one"));
  connect(images, &QPushButton::clicked, this, &TeachDialog::addImages);
  QWidget* before = m_shelf;
  auto* buttons = new QVBoxLayout;
  for (QPushButton* button : {add, images, remove}) {
    button->setAutoDefault(false);
    buttons->addWidget(button);
    setTabOrder(before, button);
    before = button;
  }
  buttons->addStretch(1);
  auto* layout = new QHBoxLayout(page);
  layout->addWidget(m_shelf, 1);
  layout->addLayout(buttons);
  return page;
}

QWidget* TeachDialog::makeResults() {
  m_classes->setObjectName(QStringLiteral("taughtClasses"));
  m_classes->setAccessibleName(tr("Classes"));
  m_classes->setHorizontalHeaderLabels({tr("Class"), tr("Training"), tr("Held out"), tr("Top-1")});
  m_classes->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_classes->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_classes->verticalHeader()->hide();
  m_classes->horizontalHeader()->setSortIndicator(kTaughtName, Qt::AscendingOrder);
  m_classes->horizontalHeader()->setSectionResizeMode(kTaughtName, QHeaderView::Stretch);
  m_classes->setItemDelegateForColumn(kTaughtTop1, new BarDelegate(this));
  m_pages->addTab(m_classes, tr("&Classes"));
  m_pages->addTab(m_confusion, tr("Co&nfusion matrix"));
  m_pages->addTab(m_worst, tr("&Worst images"));
  return m_pages;
}

QDialogButtonBox* TeachDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_teach = addDialogButton(buttons, tr("Teach"), "teachStart");
  m_stop = addDialogButton(buttons, tr("Stop"), "teachStop");
  m_use = addDialogButton(buttons, tr("Use"), "teachUse");
  m_save = addDialogButton(buttons, tr("Save as…"), "teachSave");
  m_teach->setIcon(lineIcon(QStringLiteral("play")));
  m_stop->setIcon(lineIcon(QStringLiteral("stop")));
  m_teach->setDefault(true);
  connect(m_teach, &QPushButton::clicked, this, &TeachDialog::teach);
  connect(m_stop, &QPushButton::clicked, m_bridge, &TeachBridge::stop);
  connect(m_use, &QPushButton::clicked, m_bridge, &TeachBridge::use);
  connect(m_save, &QPushButton::clicked, this, &TeachDialog::saveRequested);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  return buttons;
}

void TeachDialog::setFolder(const QString& folder) {
  m_folder->setPath(folder);
  m_sources->setCurrentIndex(kFolderPage);
  refresh();
}

void TeachDialog::browse() {
  askForFolder(this, tr("Folder of class folders"), m_folder->path(),
               [this](const QString& folder) { setFolder(folder); });
}

void TeachDialog::setData(const DataConfig& data) {
  m_data = data;
  refresh();
}

/// For the keyboard what dropping is for the mouse.
void TeachDialog::addImages() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::OpenFiles;
  question.title = tr("Images of a class");
  question.filter = tr("%1;;All files (*)").arg(imageFilter());
  dialogs().files(this, question, [this](const QStringList& files) {
    if (!files.isEmpty()) m_shelf->addImages(m_shelf->currentRow(), files);
  });
}

void TeachDialog::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  m_bridge->setFollowing(true);
}

/// A closed dialog keeps what was made in it, and the processor free.
void TeachDialog::hideEvent(QHideEvent* event) {
  QDialog::hideEvent(event);
  if (!event->spontaneous()) m_bridge->setFollowing(false);
}

/// The settings belong to whichever source has content: classes by hand once there are some.
bool TeachDialog::byHand() const {
  if (m_sources->currentIndex() == kShelfPage) return true;
  return m_sources->currentIndex() == kSettingsPage && m_folder->path().isEmpty() &&
         m_shelf->rowCount() > 0;
}

AdaptRequest TeachDialog::request() const {
  AdaptRequest request;
  request.data = m_data;
  request.features = m_place;
  // A field that is no value shows its own error, and nothing starts.
  static_cast<void>(readParameters(adaptParameters(), m_form->values(), &request.options, {}));
  if (byHand()) {
    request.classes = m_shelf->classes();
  } else if (!m_folder->path().isEmpty()) {
    request.data.path = m_folder->path().toStdString();
    request.data.dataset = detectDatasetKind(request.data.path);
  }
  return request;
}

QString TeachDialog::problem() const {
  if (!m_document->inputs().canCompute()) return tr("Open a model first.");
  if (!m_form->isValid()) return m_form->firstError();
  if (byHand()) {
    if (m_shelf->rowCount() < 2) return tr("Make two classes or more.");
    return {};
  }
  if (m_folder->path().isEmpty() && !isDrawnData(m_data.dataset))
    return tr("Choose a folder of class folders.");
  return {};
}

void TeachDialog::teach() {
  if (!problem().isEmpty()) return refresh();
  const AdaptRequest wanted = request();
  if (wanted.classes.empty() && wanted.data.dataset.empty())
    return m_status->setMessage(
        tr("%1 holds no class folders that can be read.").arg(displayName(m_folder->path())),
        MessageLabel::Tone::Problem);
  m_status->clear();
  m_bridge->teach(wanted);
}

void TeachDialog::onFinished() {
  if (m_useAtOnce->isChecked() && whyHeadStaysApart(m_bridge->taught()->head).empty())
    m_bridge->use();
}

QString TeachDialog::headline() const {
  return m_headline->text();
}

QString TeachDialog::message() const {
  return m_status->text();
}

void TeachDialog::refresh() {
  const auto& taught = m_bridge->taught();
  const QString wrong = problem();
  const bool busy = m_bridge->isBusy();
  refreshButtons(wrong);
  if (busy)
    m_progress->setProgress(m_bridge->progress());
  else
    m_progress->clear();
  if (!m_bridge->problem().isEmpty())
    m_status->setMessage(shownText(m_bridge->problem()), MessageLabel::Tone::Problem);
  else if (!busy && !wrong.isEmpty())
    m_status->setMessage(wrong);
  else
    m_status->setMessage(busy ? coreText(m_bridge->progress().stage) : QString());
  if (taught != m_shown) showReport(taught);
  m_effect->setText(taught && m_bridge->edited()
                        ? editText(*taught, *m_bridge->edited(),
                                   displayName(schemeTitle(m_document->inputs().masks())))
                        : QString());
  m_effect->setVisible(!m_effect->text().isEmpty());
  m_pages->setVisible(taught != nullptr);
}

/// What is off says why.
void TeachDialog::refreshButtons(const QString& wrong) {
  const auto& taught = m_bridge->taught();
  const QString waits = m_bridge->isBusy() ? tr("Wait for the end, or stop") : QString();
  const auto first = [&](const QString& why) { return waits.isEmpty() ? why : waits; };
  const std::string apart = taught ? whyHeadStaysApart(taught->head) : std::string();
  QString use, save;
  if (!taught)
    use = tr("Teach the classes first");
  else if (m_bridge->isUsed())
    use = tr("The open model has the new classes");
  else if (!apart.empty())
    use = tr("The classifier %1").arg(coreText(apart));
  if (!m_bridge->isUsed()) save = tr("Use the new classes first");
  setUsable(m_teach, tr("Compute the features and fit the classifier (features are kept)"),
            first(wrong));
  setUsable(m_stop, tr("Stop at once; what was computed is kept"),
            waits.isEmpty() ? tr("Nothing is computed") : QString());
  setUsable(m_use, tr("Make the new classes those of the open model"), first(use));
  setUsable(m_save, tr("Save the model with the new classes as a checkpoint and open it"),
            first(save));
}

void TeachDialog::showReport(const TeachBridge::Known& report) {
  m_shown = report;
  QStringList notes;
  if (report)
    for (const std::string& note : report->notes)
      notes << shownText(coreText(note));
  if (report && !whyHeadStaysApart(report->head).empty())
    notes << tr("The classifier %1.").arg(coreText(whyHeadStaysApart(report->head)));
  m_notes->setText(notes.join(QLatin1Char('\n')));
  m_notes->setVisible(!notes.isEmpty());
  m_headline->setText(report ? taughtText(*report) : QString());
  m_headline->setVisible(report != nullptr);
  if (!report) return;
  const ClassReport counted = classReport(report->probe, kMostWorst);
  fillClasses(*report, counted);
  m_confusion->setReport(counted, report->probe);
  fillWorst(*report, counted);
}

void TeachDialog::fillClasses(const AdaptReport& report, const ClassReport& counted) {
  m_classes->setSortingEnabled(false);
  m_classes->setRowCount(static_cast<int>(report.classes.size()));
  for (int row = 0; row < m_classes->rowCount(); ++row) {
    const TaughtClass& one = report.classes[static_cast<std::size_t>(row)];
    m_classes->setItem(row, kTaughtName, new QTableWidgetItem(displayName(one.name)));
    m_classes->setItem(row, kTraining,
                       numberCell(static_cast<double>(one.fitted), QString::number(one.fitted)));
    m_classes->setItem(row, kHeldOut,
                       numberCell(static_cast<double>(one.held), QString::number(one.held)));
    m_classes->setItem(row, kTaughtTop1, new QTableWidgetItem(QStringLiteral("–")));
  }
  for (const ClassResult& one : counted.classes)
    m_classes->setItem(one.index, kTaughtTop1, numberCell(one.top1(), shareText(one.top1())));
  m_classes->setSortingEnabled(true);
}

void TeachDialog::fillWorst(const AdaptReport& report, const ClassReport& counted) {
  m_worst->clear();
  std::vector<std::int64_t> indices;
  for (const ImageVerdict& image : counted.worst) {
    const auto name = [&](int index) { return displayName(findClassName(report.probe, index)); };
    const QString file = displayName(image.name);
    m_worst->addImage(
        tr("%1 → %2 %3")
            .arg(name(image.label), name(image.predicted), shareText(image.probability)),
        tr("%1\nloss %2\nDouble-click to open it").arg(file).arg(image.loss, 0, 'f', 3), file);
    indices.push_back(image.index);
  }
  m_reading.run<Result<std::vector<Image>>>(
      [info = m_document->inputs().model(), request = m_bridge->request(),
       indices](std::stop_token stop) { return heldImages(info, request, indices, stop); },
      [this](const Result<std::vector<Image>>& images) {
        if (images) m_worst->setImages(*images);
      });
}

void TeachDialog::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

/// A folder of class folders; images go to a class of their own.
void TeachDialog::dropEvent(QDropEvent* event) {
  QStringList paths;
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) paths << url.toLocalFile();
  if (paths.isEmpty()) return;
  event->acceptProposedAction();
  if (paths.size() == 1 && QFileInfo(paths.front()).isDir()) return setFolder(paths.front());
  m_sources->setCurrentIndex(kShelfPage);
  m_shelf->addImages(-1, paths);
}

}  // namespace headlight
