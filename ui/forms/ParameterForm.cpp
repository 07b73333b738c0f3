// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/ParameterForm.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>

#include "ui/base/CoreText.h"
#include "ui/forms/ParameterField.h"

namespace headlight {
namespace {

bool isNamed(const std::vector<std::string>& names, const ParameterField* field) {
  return std::find(names.begin(), names.end(), field->parameter().name) != names.end();
}

}  // namespace

ParameterForm::ParameterForm(const ParameterTable& table, const QString& path, QWidget* parent)
    : QWidget(parent), m_table(table) {
  setObjectName(QStringLiteral("form.") + (path.isEmpty() ? QStringLiteral("run") : path));
  m_filter = new QLineEdit(this);
  m_filter->setObjectName(QStringLiteral("formFilter"));
  m_filter->setPlaceholderText(tr("Filter settings"));
  m_filter->setAccessibleName(tr("Filter settings"));
  m_filter->setToolTip(tr("Shows only settings whose name or help contains these words"));
  m_filter->setClearButtonEnabled(true);
  connect(m_filter, &QLineEdit::textChanged, this, &ParameterForm::refreshVisibility);

  auto* body = new QWidget(this);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(4);
  grid->setColumnStretch(1, 1);
  int row = 0;
  for (const Parameter& parameter : table) {
    auto* field = new ParameterField(parameter, path, grid, row, body);
    field->editor()->installEventFilter(this);
    connect(field, &ParameterField::changed, this, [this, field] { onFieldChanged(field); });
    m_fields.push_back(field);
    row += 2;
  }
  m_nothing = new QLabel(tr("No setting contains these words."), body);
  m_nothing->setVisible(false);
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(2, 2, 6, 2);
  column->addLayout(grid);
  column->addWidget(m_nothing);
  column->addStretch(1);
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(body);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

  m_help = new QLabel(this);
  m_help->setObjectName(QStringLiteral("formHelp"));
  m_help->setWordWrap(true);
  m_help->setTextFormat(Qt::PlainText);
  m_help->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  m_help->setForegroundRole(QPalette::PlaceholderText);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(m_filter);
  layout->addWidget(scroll, 1);
  layout->addWidget(m_help);
  showHelp(nullptr);
}

ParameterField* ParameterForm::field(const QString& name) const {
  const auto found = std::find_if(m_fields.begin(), m_fields.end(),
                                  [&](const ParameterField* f) { return f->name() == name; });
  return found == m_fields.end() ? nullptr : *found;
}

// --- Values ------------------------------------------------------------------------------------

void ParameterForm::setValues(const Json& object) {
  m_aside = Json::object();
  for (const auto& [key, value] : object.items())
    if (!findParameter(m_table, key)) m_aside[key] = value;
  for (ParameterField* field : m_fields) {
    const std::string& name = field->parameter().name;
    field->setValue(object.contains(name) ? object[name] : field->parameter().defaultValue);
  }
}

Json ParameterForm::values() const {
  Json object = Json::object();
  for (const ParameterField* field : m_fields)
    object[field->parameter().name] = field->value();
  for (const auto& [key, value] : m_aside.items())
    object[key] = value;
  return object;
}

void ParameterForm::setDefaults(const Json& object) {
  for (ParameterField* field : m_fields)
    if (object.contains(field->parameter().name))
      field->setDefault(object[field->parameter().name]);
}

void ParameterForm::setMinimumText(const QString& name, const QString& text) {
  if (ParameterField* found = field(name)) found->setMinimumText(text);
}

void ParameterForm::setValue(const QString& name, const Json& value) {
  if (ParameterField* found = field(name)) found->setValue(value);
}

bool ParameterForm::isValid() const {
  return firstError().isEmpty();
}

bool ParameterForm::hasErrorHere() const {
  return std::any_of(m_fields.begin(), m_fields.end(), [this](const ParameterField* field) {
    return !isMoved(field) && !field->error().isEmpty();
  });
}

QString ParameterForm::firstError() const {
  for (const ParameterField* field : m_fields)
    if (const QString error = field->error(); !error.isEmpty())
      return QStringLiteral("%1: %2").arg(parameterTitle(field->parameter().name), error);
  return {};
}

void ParameterForm::setError(const QString& name, const QString& text) {
  if (ParameterField* found = field(name)) found->setOuterError(text);
}

void ParameterForm::clearErrors() {
  for (ParameterField* field : m_fields)
    field->setOuterError({});
}

QString ParameterForm::errorOf(const QString& name) const {
  const ParameterField* found = field(name);
  return found ? found->error() : QString();
}

QWidget* ParameterForm::editor(const QString& name) const {
  const ParameterField* found = field(name);
  return found ? found->editor() : nullptr;
}

int ParameterForm::changedFromDefault(const std::vector<std::string>& others) const {
  return static_cast<int>(std::count_if(m_fields.begin(), m_fields.end(), [&](const auto* field) {
    return !field->isDefault() && !isMoved(field) && !isNamed(others, field);
  }));
}

void ParameterForm::moveField(const QString& name, QGridLayout* grid, int row,
                              const QString& title) {
  ParameterField* found = field(name);
  if (!found) return;
  found->moveTo(grid, row, title);
  m_moved.push_back(found);
}

bool ParameterForm::isMoved(const ParameterField* field) const {
  return std::find(m_moved.begin(), m_moved.end(), field) != m_moved.end();
}

void ParameterForm::onFieldChanged(ParameterField* field) {
  showHelp(field);
  Q_EMIT changed();
}

// --- What is shown -----------------------------------------------------------------------------

void ParameterForm::setFilter(const QString& text) {
  m_filter->setText(text);
}

void ParameterForm::setFilterVisible(bool visible) {
  m_filter->setVisible(visible);
}

void ParameterForm::setReadOnlyFields(const std::vector<std::string>& names, const QString& why) {
  for (ParameterField* field : m_fields)
    field->setReadOnly(isNamed(names, field), why);
}

void ParameterForm::hideFields(const std::vector<std::string>& names) {
  m_hidden = names;
  for (const std::string& name : names)
    if (const QString hidden = QString::fromStdString(name); !errorOf(hidden).isEmpty())
      setValue(hidden, findParameter(m_table, name)->defaultValue);
  refreshVisibility();
}

void ParameterForm::refreshVisibility() {
  const QStringList words = m_filter->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  int shown = 0;
  for (ParameterField* field : m_fields) {
    const QString haystack = QStringLiteral("%1 %2 %3")
                                 .arg(field->name(), parameterTitle(field->parameter().name),
                                      coreText(field->parameter().help));
    const bool hidden = isNamed(m_hidden, field);
    const bool matches =
        isMoved(field) || std::all_of(words.begin(), words.end(), [&](const QString& word) {
          return haystack.contains(word, Qt::CaseInsensitive);
        });
    field->setVisible(!hidden && matches);
    shown += field->isVisible() && !isMoved(field);
  }
  m_nothing->setVisible(shown == 0);
}

void ParameterForm::focusField(const QString& name) {
  ParameterField* found = field(name);
  if (!found) return;
  setFilter({});
  found->editor()->setFocus(Qt::OtherFocusReason);
}

void ParameterForm::showHelp(const ParameterField* field) {
  m_help->setText(field ? field->help() : QString());
}

/// Room for the longest help, so that fields stay where they are under the pointer.
void ParameterForm::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  constexpr int kLeastLines = 2, kMostLines = 5;
  const int line = m_help->fontMetrics().lineSpacing();
  int lines = kLeastLines;
  for (const ParameterField* field : m_fields) {
    const QRect text = m_help->fontMetrics().boundingRect(QRect(0, 0, width(), 100 * line),
                                                          Qt::TextWordWrap, field->help());
    lines = std::max(lines, (text.height() + line - 1) / line);
  }
  m_help->setMinimumHeight(std::min(lines, kMostLines) * line + 4);
}

bool ParameterForm::eventFilter(QObject* watched, QEvent* event) {
  auto* editor = qobject_cast<QWidget*>(watched);
  if (event->type() == QEvent::Wheel && editor && !editor->hasFocus()) {
    event->ignore();  // scroll the form, do not change a value in passing
    return true;
  }
  if (event->type() == QEvent::FocusIn) {
    const auto found = std::find_if(m_fields.begin(), m_fields.end(), [&](const ParameterField* f) {
      return f->editor() == watched;
    });
    if (found != m_fields.end()) {
      showHelp(*found);
      for (QWidget* up = editor->parentWidget(); up; up = up->parentWidget())
        if (auto* scroll = qobject_cast<QScrollArea*>(up)) {
          scroll->ensureWidgetVisible(editor, 10, 20);
          break;
        }
    }
  }
  return QWidget::eventFilter(watched, event);
}

Json withValues(Json json, const std::map<std::string, ParameterForm*>& forms) {
  for (const auto& [key, form] : forms) {
    if (key.empty())
      json.update(form->values());
    else
      json[key] = form->values();
  }
  return json;
}

}  // namespace headlight
