// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/interventions/QueryKeyDialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

#include <limits>
#include <map>

#include "core/workbench/loading/WeightsName.h"
#include "ui/base/CoreText.h"
#include "ui/base/Images.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Folders.h"
#include "ui/evaluation/ThumbnailList.h"
#include "ui/forms/ParameterForm.h"
#include "ui/interventions/QueryKeyPlot.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr int kPreviewSide = 168, kMostListed = 200;

/// The image with the patch of a point outlined.
QPixmap previewOf(const QueryKeyMap& map, const QueryKeyPoint& point) {
  const Image& view = map.images[static_cast<std::size_t>(point.image)].view;
  QPixmap pixmap = QPixmap::fromImage(wrapImage(view).scaled(
      kPreviewSide, kPreviewSide, Qt::KeepAspectRatio, Qt::SmoothTransformation));
  const auto [left, top, width, height] = patchInView(map, point);
  const double wide = static_cast<double>(pixmap.width()) / view.width,
               high = static_cast<double>(pixmap.height()) / view.height;
  const QRectF place(left * wide, top * high, width * wide, height * high);
  QPainter painter(&pixmap);
  painter.setPen(QPen(Qt::black, 3));
  painter.drawRect(place);
  painter.setPen(QPen(Qt::white, 1));
  painter.drawRect(place);
  painter.end();
  return pixmap;
}

void makeText(QLabel* label, const char* name) {
  label->setObjectName(QString::fromLatin1(name));
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
}

}  // namespace

QueryKeyDialog::QueryKeyDialog(const AveragesParts& parts, QWidget* parent)
    : AveragesDialog(parts, parent),
      m_form(new ParameterForm(queryKeyParameters(), {}, this)),
      m_seed(new QSpinBox(this)),
      m_colors(new QComboBox(this)),
      m_patches(new QCheckBox(tr("Show &patches"), this)),
      m_plot(new QueryKeyPlot(this)),
      m_select(parts.selectInGallery),
      m_preview(new QLabel(this)),
      m_place(new QLabel(this)),
      m_listed(new QLabel(this)),
      m_caption(new QLabel(this)),
      m_list(new ThumbnailList(QStringLiteral("queryKeyImages"),
                               tr("Images of the selected points"), this)) {
  setObjectName(QStringLiteral("queryKeyDialog"));
  setWindowTitle(tr("Query-key map"));
  resize(1040, 760);
  makeFields();
  auto* row = new QHBoxLayout;
  row->addWidget(makeSide());
  row->addWidget(makeMap(), 1);
  body()->addLayout(row, 1);
  makeText(m_caption, "queryKeyCaption");
  body()->addWidget(m_caption);
  finish();
  connect(m_colors, &QComboBox::currentIndexChanged, this,
          [this] { m_plot->setColoring(coloring()); });
  connect(m_patches, &QCheckBox::toggled, m_plot, &QueryKeyPlot::setPatches);
  connect(m_plot, &QueryKeyPlot::hovered, this, &QueryKeyDialog::describe);
  connect(m_plot, &QueryKeyPlot::chosen, this, &QueryKeyDialog::openPoint);
  connect(m_plot, &QueryKeyPlot::selectionChanged, this, &QueryKeyDialog::listSelected);
  connect(m_list, &QListWidget::itemActivated, this,
          [this](const QListWidgetItem* item) { openPoint(item->data(Qt::UserRole + 1).toInt()); });
  draw();
}

void QueryKeyDialog::makeFields() {
  m_form->setFilterVisible(false);
  m_form->setValues(Json::object());
  m_form->setMinimumText(QStringLiteral("layer"), tr("last"));
  images()->setLabel(tr("Im&ages from"), tr("Images to map"));
  m_seed->setObjectName(QStringLiteral("queryKeySeed"));
  m_seed->setRange(0, std::numeric_limits<int>::max());
  m_seed->setToolTip(plainToolTip(tr("Seed by which images and tokens are drawn")));
  m_colors->setObjectName(QStringLiteral("queryKeyColors"));
  m_colors->addItems(
      {tr("query or key"), tr("row"), tr("column"), tr("class of the image"), tr("norm")});
  m_patches->setObjectName(QStringLiteral("queryKeyPatches"));
  m_patches->setToolTip(plainToolTip(tr("Draw every point as the patch that it comes from")));
}

/// The settings, and what the pointer is over.
QWidget* QueryKeyDialog::makeSide() {
  auto* side = new QWidget(this);
  auto* settings = new QScrollArea(side);
  settings->setWidget(m_form);
  settings->setWidgetResizable(true);
  settings->setAccessibleName(tr("Settings"));
  auto* seed = new QFormLayout;
  seed->addRow(tr("S&eed:"), m_seed);
  m_preview->setObjectName(QStringLiteral("queryKeyPreview"));
  m_preview->setAccessibleName(tr("Image of the point under the pointer"));
  m_preview->setMinimumSize(kPreviewSide, kPreviewSide);
  makeText(m_place, "queryKeyPlace");
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(settings, 1);
  layout->addLayout(seed);
  layout->addWidget(m_preview);
  layout->addWidget(m_place);
  side->setFixedWidth(320);
  return side;
}

QWidget* QueryKeyDialog::makeMap() {
  auto* middle = new QWidget(this);
  auto* label = new QLabel(tr("Co&lor by"), middle);
  label->setBuddy(m_colors);
  auto* row = new QHBoxLayout;
  row->addWidget(label);
  row->addWidget(m_colors);
  row->addWidget(m_patches);
  row->addStretch();
  m_list->setFixedHeight(170);
  makeText(m_listed, "queryKeyListed");
  auto* layout = new QVBoxLayout(middle);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(m_plot, 1);
  layout->addWidget(m_listed);
  layout->addWidget(m_list);
  return middle;
}

QueryKeyOptions QueryKeyDialog::options() const {
  QueryKeyOptions options;
  static_cast<void>(readParameters(queryKeyParameters(), m_form->values(), &options, {}));
  options.seed = m_seed->value();
  return options;
}

PointColoring QueryKeyDialog::coloring() const {
  return static_cast<PointColoring>(m_colors->currentIndex());
}

void QueryKeyDialog::chooseColoring(PointColoring coloring) {
  m_colors->setCurrentIndex(static_cast<int>(coloring));
}

void QueryKeyDialog::measure() {
  if (!m_form->isValid())
    return status()->setMessage(m_form->firstError(), MessageLabel::Tone::Problem);
  run<MeasuredQueryKeys>(
      [options = options()](InferenceSession& session, const ImageSource& feed,
                            const MaskScheme& masks, const ProgressCallback& notify,
                            std::stop_token stop) -> Result<MeasuredQueryKeys> {
        auto map = mapQueryKeys(session, feed, masks, options, notify, stop);
        if (!map) return map.error();
        return MeasuredQueryKeys{std::make_shared<const QueryKeyMap>(std::move(*map)), feed};
      },
      [this, chosen = images()->chosen(),
       name = document()->inputs().imageName()](const MeasuredQueryKeys& measured) {
        m_measured = measured;
        m_chosen = chosen;
        m_shownName = name;
        const auto& unread = measured.map->fed.unread;
        if (!unread.empty())
          status()->setMessage(displayName(unread.front()), MessageLabel::Tone::Problem);
        draw();
      });
}

void QueryKeyDialog::forget() {
  m_measured = {};
  draw();
}

void QueryKeyDialog::draw() {
  m_plot->setMap(m_measured.map);
  describe(-1);
  if (!hasResult()) {
    m_caption->setText(tr("Press Measure."));
  } else {
    QString text = coreText(queryKeyTitle(*m_measured.map)) + QStringLiteral(". ") +
                   coreText(queryKeyText(*m_measured.map));
    for (const std::string& note : m_measured.map->notes)
      text += QLatin1Char(' ') + coreText(note) + QLatin1Char('.');
    text[0] = text[0].toUpper();
    m_caption->setText(text + QLatin1Char(' ') +
                       tr("Drag to select points, click one to open its image."));
  }
  refresh();
}

void QueryKeyDialog::describe(int point) {
  if (!hasResult() || point < 0) {
    m_preview->clear();
    m_place->clear();
    return;
  }
  const QueryKeyPoint& at = m_measured.map->points[static_cast<std::size_t>(point)];
  m_preview->setPixmap(previewOf(*m_measured.map, at));
  m_place->setText(tr("%1 of the %2, %3; norm %4")
                       .arg(at.isKey ? tr("Key") : tr("Query"),
                            coreText(queryKeyTokenText(*m_measured.map, at)), imageName(at.image),
                            QString::number(at.norm, 'g', 3)));
}

QString QueryKeyDialog::imagePath(int image) const {
  if (m_chosen.sample) return {};
  const auto index =
      static_cast<qsizetype>(m_measured.map->images[static_cast<std::size_t>(image)].index);
  return m_chosen.paths.isEmpty() ? m_chosen.path : m_chosen.paths.value(index);
}

QString QueryKeyDialog::imageName(int image) const {
  const QString path = imagePath(image);
  if (m_chosen.sample)
    return tr("image %1").arg(m_measured.map->images[static_cast<std::size_t>(image)].index);
  return displayName(m_chosen.paths.isEmpty() ? m_shownName : QFileInfo(path).fileName());
}

/// Each image once, with how many of its points are selected; the first of them is opened with it.
void QueryKeyDialog::listSelected() {
  m_list->clear();
  m_listed->clear();
  if (!hasResult()) return m_list->setImages({});
  std::map<int, std::pair<int, int>> found;  // by image: the first point, how many
  for (const int point : m_plot->selected()) {
    const int image = m_measured.map->points[static_cast<std::size_t>(point)].image;
    ++found.try_emplace(image, point, 0).first->second.second;
  }
  std::vector<Image> views;
  for (const auto& [image, points] : found) {
    if (static_cast<int>(views.size()) == kMostListed) break;
    const QString text =
        tr("%1: %2 selected").arg(imageName(image), QString::number(points.second));
    m_list->addImage(text, text, imageName(image));
    m_list->item(m_list->count() - 1)->setData(Qt::UserRole + 1, points.first);
    views.push_back(m_measured.map->images[static_cast<std::size_t>(image)].view);
  }
  m_list->setImages(views);
  std::vector<int> selected;
  for (const auto& [image, points] : found)
    selected.push_back(image);
  selectInGallery(selected);
}

/// Samples of a dataset are in no gallery. What was selected there stays until points are brushed.
void QueryKeyDialog::selectInGallery(const std::vector<int>& selected) {
  if (!m_select || (selected.empty() && !m_brushed)) return;
  m_brushed = !selected.empty();
  QStringList paths;
  for (const int image : selected)
    if (const QString path = imagePath(image); !path.isEmpty()) paths << path;
  const int found = m_select(paths);
  if (m_brushed)
    m_listed->setText(tr("%1 of %2 images are in the gallery").arg(found).arg(selected.size()));
}

void QueryKeyDialog::openPoint(int point) {
  if (!hasResult() || isBusy()) return;
  const int image = m_measured.map->points.at(static_cast<std::size_t>(point)).image;
  const std::int64_t index = m_measured.map->images[static_cast<std::size_t>(image)].index;
  run<SourceImage>([feed = m_measured.feed, index](InferenceSession&, const ImageSource&,
                                                   const MaskScheme&, const ProgressCallback&,
                                                   std::stop_token) { return feed.read(index); },
                   [this, point](const SourceImage& source) { showOpened(source, point); });
}

void QueryKeyDialog::showOpened(const SourceImage& source, int point) {
  if (!hasResult()) return;
  const QueryKeyMap& map = *m_measured.map;
  const QueryKeyPoint& at = map.points[static_cast<std::size_t>(point)];
  document()->setImage(source.image, imageName(at.image), imagePath(at.image));
  status()->clear();  // the map is still of the same images
  document()->view().change([&map](ViewOptions& view) {
    view.layer = map.layer;
    view.head = map.head;
  });
  const int token = tokenOnGrid(map, at, document()->inputs().model().grid);
  if (token >= 0) document()->view().pin(token);
}

void QueryKeyDialog::save() {
  askWhereToSave(this, tr("Save the map"),
                 QDir(figureFolder()).filePath(QStringLiteral("query-key-map.png")),
                 tr("PNG (*.png);;PDF (*.pdf);;SVG (*.svg);;Tables (*.csv)"),
                 [this](const QString& path) { saveAs(path); });
}

void QueryKeyDialog::saveAs(const QString& path) {
  if (!hasResult()) return;
  status()->reportSaved(path, writeQueryKeyMap(path.toStdString(), *m_measured.map, coloring(),
                                               makeModelTitle(document()->inputs().model())));
  rememberWritten(path);
}

}  // namespace headlight
