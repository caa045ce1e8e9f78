from django.contrib.auth import login, logout
from django.contrib.auth.models import User
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST


def product(request):
    return render(request, "product.html")


@require_POST
def sign_in(request):
    ada, _ = User.objects.get_or_create(username="ada")  # yours: LoginView, which asks who it is
    login(request, ada)
    return redirect("/")


@require_POST
def sign_out(request):
    logout(request)
    return redirect("/")


urlpatterns = [path("", product), path("sign-in", sign_in), path("sign-out", sign_out)]
