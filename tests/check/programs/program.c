/* project_simplex and topk_hinge in C: reads instances as JSON lines, writes answers as JSON lines.
 *
 *     cc -O2 -o program program.c -lm
 *     python -m reference.check --command ./program
 *
 * With -DWRONG, the loss ranks the true class among the others, and the projection stops after three coordinates.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int ndim, rows, columns; /* a vector is one row */
    double *data;
} Array;

/* The text after "key": of the line, or NULL. */
static const char *after(const char *line, const char *key) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(line, quoted);
    return found ? found + strlen(quoted) : NULL;
}

/* The next number. JSON lines hold infinities and NaN as the words "inf", "-inf" and "nan", which strtod knows. */
static double number(const char **text) {
    while (**text == ' ' || **text == ',' || **text == '"' || **text == '[') (*text)++;
    char *end;
    double value = strtod(*text, &end);
    if (end == *text) value = NAN; /* a word */
    *text = end + (*end == '"');
    return value;
}

static double option(const char *line, const char *key, double otherwise) {
    const char *text = after(line, key);
    return text ? number(&text) : otherwise;
}

/* The array of this name; its data is NULL if it is empty, not finite, or has more than two dimensions. */
static Array array(const char *line, const char *key) {
    Array a = {0, 1, 1, NULL};
    const char *form = after(line, key);
    if (!form || !after(form, "shape")) return a;
    const char *shape = strchr(after(form, "shape"), '[') + 1, *data = strchr(after(form, "data"), '[') + 1;
    while (*shape != ']') {
        a.rows = a.ndim++ ? a.columns : 1;
        a.columns = (int)number(&shape);
    }
    size_t size = (size_t)a.rows * a.columns;
    if (a.ndim < 1 || a.ndim > 2 || size == 0) return a;
    a.data = malloc(size * sizeof *a.data);
    for (size_t i = 0; i < size; i++) {
        a.data[i] = number(&data);
        if (!isfinite(a.data[i])) {
            free(a.data);
            a.data = NULL;
            break;
        }
    }
    return a;
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* x = max(a - t, 0) with sum x = radius, in place. */
static void project(double *a, int d, double radius) {
    double *sorted = malloc(d * sizeof *sorted), top = a[0], sum = 0, t = 0;
    for (int i = 1; i < d; i++) top = fmax(top, a[i]);
    for (int i = 0; i < d; i++) sorted[i] = a[i] -= top;
    qsort(sorted, d, sizeof *sorted, descending);
    for (int j = 0; j < d; j++) {
        sum += sorted[j];
        double next = (sum - radius) / (j + 1);
        if (j > 0 && sorted[j] <= next) break;
        t = next;
#ifdef WRONG
        if (j == 2) break;
#endif
    }
    for (int i = 0; i < d; i++) a[i] = fmax(a[i] - t, 0);
    free(sorted);
}

/* Equations (3) and (5) of the paper, for one example. */
static double hinge(const double *scores, int m, int y, int k, char kind) {
    double *margins = malloc(m * sizeof *margins), sum = 0;
    int ranked = 0;
    for (int j = 0; j < m; j++) {
#ifndef WRONG
        if (j == y && kind != 'i') continue;
#endif
        double margin = j == y ? 0 : 1 + scores[j] - scores[y];
        margins[ranked++] = kind == 'b' ? fmax(margin, 0) : margin;
    }
    qsort(margins, ranked, sizeof *margins, descending);
    for (int j = 0; j < k && j < ranked; j++) sum += margins[j];
    free(margins);
    return fmax(sum / k, 0);
}

/* Writes the answer over a.data and returns how many numbers it has, or 0 if an argument is wrong. */
static int simplex(const char *line, Array *a) {
    double radius = option(line, "radius", 1.0);
    *a = array(line, "a");
    if (!a->data || !(radius >= 0) || isinf(radius)) return 0;
    for (int i = 0; i < a->rows; i++) project(a->data + (size_t)i * a->columns, a->columns, radius);
    return a->rows * a->columns;
}

static int losses(const char *line, Array *scores) {
    Array y = array(line, "y");
    double k = option(line, "k", 1);
    const char *kind = after(line, "kind");
    int m, fine, i;
    *scores = array(line, "scores");
    m = scores->columns;
    fine = scores->data && y.data && scores->ndim == 2 && y.ndim == 1 && y.columns == scores->rows && m > 1;
    fine = fine && k == floor(k) && k >= 1 && k <= m - 1;
    fine = fine && (!kind || strncmp(kind, " \"alpha", 7) == 0 || strncmp(kind, " \"beta\"", 7) == 0);
    for (i = 0; fine && i < scores->rows; i++) fine = y.data[i] == floor(y.data[i]) && y.data[i] >= 0 && y.data[i] < m;
    char letter = !kind ? 'a' : strncmp(kind, " \"alpha_inclusive\"", 18) == 0 ? 'i' : kind[2];
    for (i = 0; fine && i < scores->rows; i++)
        scores->data[i] = hinge(scores->data + (size_t)i * m, m, (int)y.data[i], (int)k, letter);
    free(y.data);
    return fine ? scores->rows : 0;
}

int main(void) {
    size_t room = 1 << 24;
    char *line = malloc(room);
    printf("{\"functions\": [\"project_simplex\", \"topk_hinge\"]}\n");
    fflush(stdout);
    while (fgets(line, room, stdin)) {
        char id[128] = "";
        Array answer;
        sscanf(after(line, "id"), " \"%127[^\"]", id);
        int size = strstr(line, "\"project_simplex\"") ? simplex(line, &answer) : losses(line, &answer);
        printf("{\"id\": \"%s\", ", id);
        if (!size) printf("\"error\": \"an argument is wrong\"");
        for (int i = 0; i < size; i++) printf("%s%.17g", i ? ", " : "\"answer\": [", answer.data[i]);
        printf("%s}\n", size ? "]" : "");
        fflush(stdout);
        free(answer.data);
    }
    free(line);
    return 0;
}
