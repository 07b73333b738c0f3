// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/interventions/InterventionDialog.h"

#include <QComboBox>
#include <QDir>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPixmap>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

#include "core/base/files/Files.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/interventions/InterventionFigure.h"
#include "core/workbench/loading/WeightsName.h"
#include "ui/base/CoreText.h"
#include "ui/base/Images.h"
#include "ui/document/Folders.h"
#include "ui/forms/ParameterForm.h"
#include "ui/forms/PathRow.h"
#include "ui/interventions/PartsView.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

/// What is read in the window's thread, for the worker's.
struct AskedIntervention {
  Image image;
  std::filesystem::path other;
  InterventionOptions options;
  std::string classText, againstText;
  int classIndex = -1, against = -1;  ///< where the texts are empty
};

int askedClass(const std::string& text, int otherwise, const ModelInfo& info) {
  return text.empty() ? otherwise : valueOrThrow(classFromText(text, info));
}

/// Throws Failure.
InterventionRequest requestOf(const AskedIntervention& asked, const ModelInfo& info,
                              const ImageSource& feed) {
  if (asked.image.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   InterventionDialog::tr("open an image first").toStdString(), "interventions"});
  InterventionRequest request;
  request.image = rawImage(info, asked.image);
  request.options = asked.options;
  if (asked.options.replace == "image" && !asked.other.empty())
    request.other = rawImage(info, valueOrThrow(readImage(asked.other)));
  request.images = feed;
  request.classIndex = askedClass(asked.classText, asked.classIndex, info);
  request.against = askedClass(asked.againstText, asked.against, info);
  return request;
}

QStringList layerLabels(std::size_t layers) {
  QStringList labels;
  for (std::size_t l = 0; l < layers; ++l)
    labels << InterventionDialog::tr("layer %1").arg(l);
  return labels;
}

ValueRange rangeOf(const std::vector<std::vector<double>>& rows, bool aboutZero) {
  std::vector<float> all;
  for (const auto& row : rows)
    all.insert(all.end(), row.begin(), row.end());
  return valueRange(all, aboutZero);
}

QString topText(const std::vector<ClassScore>& top) {
  QStringList parts;
  for (const ClassScore& score : top)
    parts << QStringLiteral("%1 %2 %")
                 .arg(QString::fromStdString(score.name))
                 .arg(100.0 * score.probability, 0, 'f', 1);
  return parts.mid(0, 3).join(QStringLiteral(", "));
}

/// Of a layer, [head] or [token].
std::vector<double> tokenNumbers(const OutlierLayer& layer, InterventionDialog::Shows shows) {
  using Shows = InterventionDialog::Shows;
  if (shows == Shows::Outliers) return {layer.norms.begin(), layer.norms.end()};
  if (shows == Shows::ValueNorms) return layer.valueNorm;
  if (shows == Shows::SinkValues) return layer.sinkValue;
  return shows == Shows::OutputRanks ? layer.outputRank : layer.sink;
}

}  // namespace

InterventionDialog::InterventionDialog(const AveragesParts& parts, QWidget* parent)
    : AveragesDialog(parts, parent),
      m_shows(new QComboBox(this)),
      m_form(new ParameterForm(interventionParameters(), {}, this)),
      m_registerForm(new ParameterForm(registerParameters(), {}, this)),
      m_other(nullptr),
      m_class(new QLineEdit(this)),
      m_against(new QLineEdit(this)),
      m_view(new PartsView(this)),
      m_registerImage(new QLabel(this)),
      m_caption(new QLabel(this)),
      m_cell(new QLabel(this)),
      m_effectText(new QLabel(this)) {
  setObjectName(QStringLiteral("interventionDialog"));
  setWindowTitle(tr("Interventions"));
  resize(980, 700);
  makeFields();
  makeResults();
  finish();
  onShows();
}

void InterventionDialog::makeFields() {
  m_shows->setObjectName(QStringLiteral("interventionShows"));
  m_shows->setAccessibleName(tr("What is measured"));
  m_shows->addItems({tr("Replace parts"), tr("Direct logit attribution"),
                     tr("Heads that read others: queries"), tr("Heads that read others: keys"),
                     tr("Heads that read others: values"), tr("Norms of patch tokens"),
                     tr("Attention sinks"), tr("Value norms of heads"),
                     tr("Values of attention sinks"), tr("Output rank of heads"),
                     tr("Test-time registers: norms"), tr("Test-time registers: maps")});
  m_form->setFilterVisible(false);
  m_form->setValues(Json::object());
  m_registerForm->setFilterVisible(false);
  m_registerForm->setValues({{"registers", 1}});
  m_other = new PathRow(
      {QStringLiteral("interventionOther"), tr("Other ima&ge:"), tr("Other image"),
       tr("Image whose activations are put in place, with replace: image"), tr("none"),
       QStringLiteral("interventionBrowse"), tr("B&rowse…"), tr("Choose the other image")},
      this);
  const auto line = [&](QLineEdit* field, const char* name, const QString& empty) {
    field->setObjectName(QString::fromLatin1(name));
    field->setPlaceholderText(empty);
  };
  line(m_class, "interventionClass", tr("predicted for the image"));
  line(m_against, "interventionAgainst", tr("predicted for the other image, or the second best"));
  auto* form = new QFormLayout;
  form->addRow(tr("Sh&ow:"), m_shows);
  form->addRow(m_other);
  form->addRow(tr("C&lass:"), m_class);
  form->addRow(tr("&Against class:"), m_against);
  auto* forms = new QWidget(this);
  auto* column = new QVBoxLayout(forms);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_form);
  column->addWidget(m_registerForm);
  auto* row = new QHBoxLayout;
  row->addLayout(form, 1);
  row->addWidget(forms, 1);
  body()->addLayout(row, 1);
  connect(m_other, &PathRow::browseRequested, this, &InterventionDialog::browseOther);
  connect(m_shows, &QComboBox::currentIndexChanged, this, &InterventionDialog::onShows);
}

void InterventionDialog::makeResults() {
  auto* shown = new QWidget(this);
  auto* stacked = new QVBoxLayout(shown);
  stacked->setContentsMargins(0, 0, 0, 0);
  stacked->setSizeConstraint(QLayout::SetFixedSize);
  stacked->addWidget(m_view);
  stacked->addWidget(m_registerImage);
  m_registerImage->setObjectName(QStringLiteral("interventionRegisters"));
  m_registerImage->setAccessibleName(tr("Before and after"));
  auto* area = new QScrollArea(this);
  area->setWidget(shown);
  area->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
  area->setAccessibleName(tr("Effects"));
  const auto label = [&](QLabel* text, const char* name) {
    text->setObjectName(QString::fromLatin1(name));
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    body()->addWidget(text);
  };
  label(m_caption, "interventionCaption");
  body()->addWidget(area, 2);
  label(m_cell, "interventionCell");
  label(m_effectText, "interventionEffect");
  connect(m_view, &PartsView::cellChanged, this, &InterventionDialog::describeCell);
  connect(m_view, &PartsView::chosen, this, &InterventionDialog::replacePart);
}

InterventionDialog::Shows InterventionDialog::shows() const {
  return static_cast<Shows>(m_shows->currentIndex());
}

/// Norms of tokens, and what comes with outliers.
bool InterventionDialog::showsTokens() const {
  return shows() >= Shows::Outliers && shows() <= Shows::OutputRanks;
}

bool InterventionDialog::showsRegisters() const {
  return shows() == Shows::RegisterNorms || shows() == Shows::RegisterMaps;
}

RegisterImageKind InterventionDialog::imageKind() const {
  return shows() == Shows::RegisterMaps ? RegisterImageKind::Maps : RegisterImageKind::Norms;
}

CompositionInput InterventionDialog::input() const {
  return static_cast<CompositionInput>(static_cast<int>(shows()) -
                                       static_cast<int>(Shows::QueryPaths));
}

void InterventionDialog::choose(Shows shows) {
  m_shows->setCurrentIndex(static_cast<int>(shows));
}

void InterventionDialog::setOther(const QString& path) {
  m_other->setPath(path);
  m_form->setValue(QStringLiteral("replace"), "image");
}

void InterventionDialog::browseOther() {
  FileQuestion question;
  question.title = tr("Other image");
  question.start = m_other->path();
  question.filter = imageFilter();
  askForPath(this, question, [this](const QString& path) { setOther(path); });
}

InterventionOptions InterventionDialog::options() const {
  InterventionOptions options;
  static_cast<void>(readParameters(interventionParameters(), m_form->values(), &options, {}));
  return options;
}

void InterventionDialog::onShows() {
  const bool parts = shows() == Shows::Interventions;
  m_form->setVisible(!showsRegisters());
  m_form->setEnabled(parts);
  m_registerForm->setVisible(showsRegisters());
  m_view->setVisible(!showsRegisters());
  m_registerImage->setVisible(showsRegisters());
  m_other->setEnabled(parts);
  m_class->setEnabled(parts || shows() == Shows::Attribution);
  m_against->setEnabled(m_class->isEnabled());
  draw();
}

void InterventionDialog::measure() {
  if (shows() == Shows::Interventions) return measureSweep();
  if (shows() == Shows::Attribution) return measureAttribution();
  if (showsTokens()) return measureOutliers();
  if (showsRegisters()) return measureRegisters();
  measureComposition();
}

void InterventionDialog::measureSweep() {
  const AskedIntervention asked{document()->inputs().image(), m_other->path().toStdString(),
                                options(), m_class->text().trimmed().toStdString(),
                                m_against->text().trimmed().toStdString()};
  run<InterventionSweep>(
      [asked](InferenceSession& session, const ImageSource& feed, const MaskScheme& masks,
              const ProgressCallback& notify, std::stop_token stop) {
        return guarded("interventions", [&] {
          return sweepInterventions(session, masks, requestOf(asked, session.info(), feed), notify,
                                    stop);
        });
      },
      [this, image = asked.image, other = m_other->path(),
       masks = document()->inputs().masks()](const InterventionSweep& sweep) {
        m_sweptImage = image;
        m_sweptOther = other;
        m_sweptMasks = masks;
        m_sweep = sweep;
        m_effect.reset();
        draw();
      });
}

void InterventionDialog::measureAttribution() {
  const AskedIntervention asked{document()->inputs().image(),
                                {},
                                {},
                                m_class->text().trimmed().toStdString(),
                                m_against->text().trimmed().toStdString()};
  run<LogitAttribution>(
      [asked](InferenceSession& session, const ImageSource& feed, const MaskScheme& masks,
              const ProgressCallback& notify, std::stop_token stop) {
        return guarded("interventions", [&] {
          const InterventionRequest request = requestOf(asked, session.info(), feed);
          return attributeLogit(session, request.image, masks,
                                {request.classIndex, request.against}, notify, stop);
        });
      },
      [this](const LogitAttribution& attribution) {
        m_attribution = attribution;
        draw();
      });
}

void InterventionDialog::measureComposition() {
  run<HeadComposition>(
      [](InferenceSession& session, const ImageSource&, const MaskScheme&, const ProgressCallback&,
         std::stop_token) { return composeHeads(session); },
      [this](const HeadComposition& composition) {
        m_composition = composition;
        draw();
      });
}

void InterventionDialog::measureOutliers() {
  const AskedIntervention asked{document()->inputs().image(), {}, {}, {}, {}};
  run<OutlierReport>(
      [asked](InferenceSession& session, const ImageSource& feed, const MaskScheme& masks,
              const ProgressCallback& notify, std::stop_token stop) {
        return guarded("interventions", [&] {
          return findOutliers(session, requestOf(asked, session.info(), feed).image, masks,
                              kOutlierFactor, notify, stop);
        });
      },
      [this](const OutlierReport& report) {
        m_outliers = report;
        draw();
      });
}

void InterventionDialog::measureRegisters() {
  const AskedIntervention asked{document()->inputs().image(), {}, {}, {}, {}};
  RegisterOptions options;
  if (const auto read =
          readParameters(registerParameters(), m_registerForm->values(), &options, {});
      !read)
    return status()->setMessage(QString::fromStdString(read.error().text()),
                                MessageLabel::Tone::Problem);
  run<RegisterReport>(
      [asked, options](InferenceSession& session, const ImageSource& feed, const MaskScheme& masks,
                       const ProgressCallback& notify, std::stop_token stop) {
        return guarded("interventions", [&] {
          const RawImages image = requestOf(asked, session.info(), feed).image;
          return applyRegisters(session, {image, feed, options}, masks, notify, stop);
        });
      },
      [this](const RegisterReport& report) {
        m_registers = report;
        draw();
      });
}

/// Images, masks and settings of the sweep that is shown, also where they have changed since.
void InterventionDialog::replacePart(int row, int column) {
  if (shows() != Shows::Interventions || !m_sweep || isBusy()) return;
  const Intervention part = sweepPart(*m_sweep, row, column);
  const AskedIntervention asked{m_sweptImage, m_sweptOther.toStdString(), m_sweep->options,      {},
                                {},           m_sweep->facts.classIndex,  m_sweep->facts.against};
  run<InterventionEffect>(
      [asked, part, masks = m_sweptMasks](InferenceSession& session, const ImageSource& feed,
                                          const MaskScheme&, const ProgressCallback& notify,
                                          std::stop_token stop) {
        return guarded("interventions", [&] {
          return intervene(session, masks, requestOf(asked, session.info(), feed), {part}, notify,
                           stop);
        });
      },
      [this, part](const InterventionEffect& effect) {
        m_effect = effect;
        showEffect(part);
      });
}

void InterventionDialog::showEffect(const Intervention& part) {
  const InterventionEffect& effect = *m_effect;
  double most = 0;
  std::size_t layer = 0;
  for (std::size_t l = 0; l < effect.mapChange.size(); ++l)
    for (const double change : effect.mapChange[l])
      if (change > most) {
        most = change;
        layer = l;
      }
  QString text =
      tr("%1 replaced: %2 is now %3, before %4. Prediction: %5; before: %6.")
          .arg(QString::fromStdString(interventionText(part)), coreText(effect.facts.metric),
               QString::number(effect.value, 'g', 4), QString::number(effect.facts.base, 'g', 4),
               topText(effect.topAfter), topText(effect.topBefore));
  if (most > 0)
    text +=
        QLatin1Char(' ') +
        tr("Attention changes most in layer %1, by %2 of a row.").arg(layer).arg(most, 0, 'g', 3);
  m_effectText->setText(text);
}

bool InterventionDialog::hasResult() const {
  if (shows() == Shows::Interventions) return m_sweep.has_value();
  if (showsTokens()) return m_outliers.has_value();
  if (showsRegisters()) return m_registers.has_value();
  return shows() == Shows::Attribution ? m_attribution.has_value() : m_composition.has_value();
}

void InterventionDialog::forget() {
  m_sweep.reset();
  m_effect.reset();
  m_attribution.reset();
  m_composition.reset();
  m_outliers.reset();
  m_registers.reset();
  draw();
}

void InterventionDialog::draw() {
  m_effectText->clear();
  m_registerImage->clear();
  if (!hasResult() || showsRegisters()) m_view->setParts({});
  if (!hasResult()) {
    m_caption->setText(tr("Press Measure."));
  } else if (shows() == Shows::Interventions) {
    drawSweep();
  } else if (shows() == Shows::Attribution) {
    drawAttribution();
  } else if (showsTokens()) {
    drawOutliers();
  } else if (showsRegisters()) {
    drawRegisters();
  } else {
    drawComposition();
  }
  refresh();
}

void InterventionDialog::drawSweep() {
  ShownParts parts;
  parts.values = m_sweep->effects();
  parts.rows = layerLabels(parts.values.size());
  parts.range = rangeOf(parts.values, /*aboutZero=*/true);
  m_view->setParts(parts);
  const QString base = QString::number(m_sweep->facts.base, 'g', 4);
  m_caption->setText(coreText(sweepTitle(*m_sweep)) + QStringLiteral(". ") +
                     (m_sweep->hasShares()
                          ? tr("Share of the way from %1 to %2.")
                                .arg(base, QString::number(m_sweep->facts.target, 'g', 4))
                          : tr("Change from %1.").arg(base)) +
                     QLatin1Char(' ') + tr("Click a part to see what replacing it does."));
}

/// Heads, then what attention adds with its bias, then the MLP.
void InterventionDialog::drawAttribution() {
  ShownParts parts;
  for (std::size_t l = 0; l < m_attribution->mlp.size(); ++l) {
    parts.values.push_back(m_attribution->heads[l]);
    parts.values.back().push_back(m_attribution->attention[l]);
    parts.values.back().push_back(m_attribution->mlp[l]);
  }
  parts.rows = layerLabels(parts.values.size());
  parts.range = rangeOf(parts.values, /*aboutZero=*/true);
  m_view->setParts(parts);
  m_caption->setText(
      tr("%1 is %2: embedding %3, constant %4, and what each layer adds. Columns: heads, then "
         "attention with its bias, then the MLP.")
          .arg(coreText(m_attribution->metric), QString::number(m_attribution->logit, 'g', 4),
               QString::number(m_attribution->embedding, 'g', 3),
               QString::number(m_attribution->constant, 'g', 3)));
}

void InterventionDialog::drawComposition() {
  const auto& scores = m_composition->of(input());
  ShownParts parts;
  for (std::size_t l = 0; l < m_composition->heads.size(); ++l)
    for (int h = 0; h < m_composition->heads[l]; ++h)
      parts.rows << QStringLiteral("%1.%2").arg(l).arg(h);
  const std::ptrdiff_t total = m_composition->total();
  for (std::ptrdiff_t row = 0; row < total; ++row)
    parts.values.emplace_back(scores.begin() + row * total, scores.begin() + (row + 1) * total);
  parts.colorMap = ColorMap::Viridis;
  const double high = rangeOf(parts.values, /*aboutZero=*/false).high;
  parts.range = {m_composition->chance, std::max(m_composition->chance, high)};
  m_view->setParts(parts);
  m_caption->setText(tr("%1: rows read, columns write (layer.head). Random matrices give %2.")
                         .arg(coreText(compositionTitle(input())),
                              QString::number(m_composition->chance, 'g', 3)));
}

QString InterventionDialog::outlierText() const {
  if (shows() == Shows::Outliers)
    return tr("Norms of the tokens that leave each layer, prefix tokens first. Patches longer "
              "than %1 times the median of their layer: at most %2.")
        .arg(m_outliers->factor)
        .arg(m_outliers->most());
  if (shows() == Shows::ValueNorms)
    return tr("Median length of the value vectors of each head over tokens.");
  if (shows() == Shows::SinkValues)
    return tr(
        "Length of the value that the sink's token has in each head, as a share of the "
        "median. Short ones: the head does nothing for this image.");
  if (shows() == Shows::OutputRanks)
    return tr("Effective rank of the outputs of each head over tokens.");
  return tr("Largest share of the patches' attention that one token receives, by head.");
}

/// Norms of all tokens, prefix tokens first; or a number of each head.
void InterventionDialog::drawOutliers() {
  ShownParts parts;
  for (const OutlierLayer& layer : m_outliers->layers)
    parts.values.push_back(tokenNumbers(layer, shows()));
  parts.rows = layerLabels(parts.values.size());
  parts.colorMap = ColorMap::Viridis;
  parts.range =
      shows() == Shows::Sinks ? ValueRange{0, 1} : rangeOf(parts.values, /*aboutZero=*/false);
  m_view->setParts(parts);
  m_caption->setText(outlierText());
}

/// An image of both runs; the predictions below it.
void InterventionDialog::drawRegisters() {
  const auto drawn = image();
  if (drawn)
    m_registerImage->setPixmap(QPixmap::fromImage(toQImage(*drawn)));
  else
    status()->setMessage(QString::fromStdString(drawn.error().text()), MessageLabel::Tone::Problem);
  const RegisterReport& report = *m_registers;
  m_caption->setText(tr("An intervention, not the model as it was trained: %1 extra tokens, "
                        "activations of %2 neurons moved to them. Outliers: at most %3, before %4.")
                         .arg(report.options.registers)
                         .arg(report.neurons.size())
                         .arg(report.after.norms.most())
                         .arg(report.before.norms.most()));
  if (!report.after.top.empty())
    m_effectText->setText(tr("Prediction: %1; before: %2.")
                              .arg(topText(report.after.top), topText(report.before.top)));
}

void InterventionDialog::describeCell() {
  const auto cell = m_view->cell();
  if (!cell || !hasResult()) return m_cell->clear();
  const ShownParts& parts = m_view->parts();
  const double value =
      parts.values[static_cast<std::size_t>(cell->row)][static_cast<std::size_t>(cell->column)];
  m_cell->setText(cellName(cell->row, cell->column) + QStringLiteral(": ") +
                  QString::number(value, 'g', 4));
}

QString InterventionDialog::cellName(int row, int column) const {
  const QStringList& rows = m_view->parts().rows;
  if (shows() == Shows::Interventions)
    return QString::fromStdString(interventionText(sweepPart(*m_sweep, row, column)));
  if (shows() == Shows::Outliers) return tr("%1, token %2").arg(rows.value(row)).arg(column);
  QString head = tr("%1, head %2").arg(rows.value(row)).arg(column);
  if (shows() == Shows::Sinks)
    return tr("%1, most of it to token %2")
        .arg(head)
        .arg(m_outliers->layers[static_cast<std::size_t>(row)]
                 .sinkToken[static_cast<std::size_t>(column)]);
  if (showsTokens()) return head;
  if (shows() != Shows::Attribution)
    return tr("%1 reads %2").arg(rows.value(row), rows.value(column));
  const int heads = static_cast<int>(m_attribution->heads[static_cast<std::size_t>(row)].size());
  if (column < heads) return head;
  return rows.value(row) + QStringLiteral(", ") + (column == heads ? tr("attention") : tr("MLP"));
}

std::string InterventionDialog::csvText() const {
  if (shows() == Shows::Interventions) return sweepCsv(*m_sweep);
  if (showsTokens()) return outlierCsv(*m_outliers);
  if (showsRegisters()) return registersCsv(*m_registers);
  return shows() == Shows::Attribution ? attributionCsv(*m_attribution)
                                       : compositionCsv(*m_composition);
}

Result<Image> InterventionDialog::image() const {
  return guarded("figure", [&] {
    const std::string model = makeModelTitle(document()->inputs().model());
    if (shows() == Shows::Interventions) return sweepImage(*m_sweep, model);
    if (shows() == Shows::Attribution)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("the attribution is saved as a table (.csv)").toStdString(), ""});
    if (showsTokens()) return outlierImage(*m_outliers, model);
    if (showsRegisters()) return registersImage(*m_registers, imageKind(), model);
    return compositionImage(*m_composition, input(), model);
  });
}

void InterventionDialog::save() {
  const bool table = shows() == Shows::Attribution;
  askWhereToSave(this, tr("Save the result"),
                 QDir(figureFolder())
                     .filePath(table ? QStringLiteral("attribution.csv")
                                     : QStringLiteral("interventions.png")),
                 table ? tr("Tables (*.csv)") : tr("PNG (*.png);;Tables (*.csv)"),
                 [this](const QString& path) { saveAs(path); });
}

void InterventionDialog::saveAs(const QString& path) {
  if (!hasResult()) return;
  const auto write = [&]() -> Result<void> {
    if (path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive))
      return writeFileAtomically(path.toStdString(), csvText());
    const auto drawn = image();
    if (!drawn) return drawn.error();
    const auto bytes = encodePng(*drawn, {{"Software", "Headlight"}});
    if (!bytes) return bytes.error();
    return writeFileAtomically(path.toStdString(), *bytes);
  };
  status()->reportSaved(path, write());
  rememberWritten(path);
}

}  // namespace headlight
